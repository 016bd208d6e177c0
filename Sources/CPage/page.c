#include "page.h"

// `#embed` includes the files at compile time and records them as dependencies, so a changed file rebuilds only this one and no generator
// is needed. A new file under web/ has to be named here twice; a test compares the folder with this list.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char admin_css[] = {
#embed "web/admin.css"
};
static const unsigned char admin_html[] = {
#embed "web/admin.html"
};
static const unsigned char admin_api_js[] = {
#embed "web/admin/api.js"
};
static const unsigned char admin_app_js[] = {
#embed "web/admin/app.js"
};
static const unsigned char admin_gauges_js[] = {
#embed "web/admin/gauges.js"
};
static const unsigned char admin_quality_js[] = {
#embed "web/admin/quality.js"
};
static const unsigned char admin_reports_js[] = {
#embed "web/admin/reports.js"
};
static const unsigned char admin_sessioncard_js[] = {
#embed "web/admin/sessioncard.js"
};
static const unsigned char client_chat_js[] = {
#embed "web/client/chat.js"
};
static const unsigned char client_conversations_js[] = {
#embed "web/client/conversations.js"
};
static const unsigned char client_encryption_js[] = {
#embed "web/client/encryption.js"
};
static const unsigned char client_hands_js[] = {
#embed "web/client/hands.js"
};
static const unsigned char client_hpke_js[] = {
#embed "web/client/hpke.js"
};
static const unsigned char client_keyagreement_js[] = {
#embed "web/client/keyagreement.js"
};
static const unsigned char client_mediapath_js[] = {
#embed "web/client/mediapath.js"
};
static const unsigned char client_outbox_js[] = {
#embed "web/client/outbox.js"
};
static const unsigned char client_publishing_js[] = {
#embed "web/client/publishing.js"
};
static const unsigned char client_session_js[] = {
#embed "web/client/session.js"
};
static const unsigned char client_signaling_js[] = {
#embed "web/client/signaling.js"
};
static const unsigned char client_sources_js[] = {
#embed "web/client/sources.js"
};
static const unsigned char client_state_js[] = {
#embed "web/client/state.js"
};
static const unsigned char client_statistics_js[] = {
#embed "web/client/statistics.js"
};
static const unsigned char client_subscribing_js[] = {
#embed "web/client/subscribing.js"
};
static const unsigned char client_subsessions_js[] = {
#embed "web/client/subsessions.js"
};
static const unsigned char client_thread_js[] = {
#embed "web/client/thread.js"
};
static const unsigned char icon_svg[] = {
#embed "web/icon.svg"
};
static const unsigned char client_transform_js[] = {
#embed "web/client/transform.js"
};
static const unsigned char index_html[] = {
#embed "web/index.html"
};
static const unsigned char session_css[] = {
#embed "web/session.css"
};
static const unsigned char style_css[] = {
#embed "web/style.css"
};
static const unsigned char talk_css[] = {
#embed "web/talk.css"
};
static const unsigned char ui_app_js[] = {
#embed "web/ui/app.js"
};
static const unsigned char ui_chart_js[] = {
#embed "web/ui/chart.js"
};
static const unsigned char ui_chat_js[] = {
#embed "web/ui/chat.js"
};
static const unsigned char ui_compose_js[] = {
#embed "web/ui/compose.js"
};
static const unsigned char ui_conversationlist_js[] = {
#embed "web/ui/conversationlist.js"
};
static const unsigned char ui_conversationmenu_js[] = {
#embed "web/ui/conversationmenu.js"
};
static const unsigned char ui_conversationview_js[] = {
#embed "web/ui/conversationview.js"
};
static const unsigned char ui_devices_js[] = {
#embed "web/ui/devices.js"
};
static const unsigned char ui_dialogs_js[] = {
#embed "web/ui/dialogs.js"
};
static const unsigned char ui_dom_js[] = {
#embed "web/ui/dom.js"
};
static const unsigned char ui_join_js[] = {
#embed "web/ui/join.js"
};
static const unsigned char ui_menu_js[] = {
#embed "web/ui/menu.js"
};
static const unsigned char ui_messagelog_js[] = {
#embed "web/ui/messagelog.js"
};
static const unsigned char ui_messages_js[] = {
#embed "web/ui/messages.js"
};
static const unsigned char ui_moderation_js[] = {
#embed "web/ui/moderation.js"
};
static const unsigned char ui_notices_js[] = {
#embed "web/ui/notices.js"
};
static const unsigned char ui_numbers_js[] = {
#embed "web/ui/numbers.js"
};
static const unsigned char ui_people_js[] = {
#embed "web/ui/people.js"
};
static const unsigned char ui_subsessionbanner_js[] = {
#embed "web/ui/subsessionbanner.js"
};
static const unsigned char ui_subsessioncard_js[] = {
#embed "web/ui/subsessioncard.js"
};
static const unsigned char ui_subsessionform_js[] = {
#embed "web/ui/subsessionform.js"
};
static const unsigned char ui_subsessionpanel_js[] = {
#embed "web/ui/subsessionpanel.js"
};
static const unsigned char ui_shortcuts_js[] = {
#embed "web/ui/shortcuts.js"
};
static const unsigned char ui_signals_js[] = {
#embed "web/ui/signals.js"
};
static const unsigned char ui_stage_js[] = {
#embed "web/ui/stage.js"
};
static const unsigned char ui_storage_js[] = {
#embed "web/ui/storage.js"
};
static const unsigned char ui_tabs_js[] = {
#embed "web/ui/tabs.js"
};
static const unsigned char ui_tile_js[] = {
#embed "web/ui/tile.js"
};
static const unsigned char ui_toolbar_js[] = {
#embed "web/ui/toolbar.js"
};
static const unsigned char ui_words_js[] = {
#embed "web/ui/words.js"
};

#define FILE(path, bytes) {path, bytes, sizeof bytes}

static const millrace_page_file files[] = {
    FILE("admin.css", admin_css),
    FILE("admin.html", admin_html),
    FILE("admin/api.js", admin_api_js),
    FILE("admin/app.js", admin_app_js),
    FILE("admin/gauges.js", admin_gauges_js),
    FILE("admin/quality.js", admin_quality_js),
    FILE("admin/reports.js", admin_reports_js),
    FILE("admin/sessioncard.js", admin_sessioncard_js),
    FILE("client/chat.js", client_chat_js),
    FILE("client/conversations.js", client_conversations_js),
    FILE("client/encryption.js", client_encryption_js),
    FILE("client/hands.js", client_hands_js),
    FILE("client/hpke.js", client_hpke_js),
    FILE("client/keyagreement.js", client_keyagreement_js),
    FILE("client/mediapath.js", client_mediapath_js),
    FILE("client/outbox.js", client_outbox_js),
    FILE("client/publishing.js", client_publishing_js),
    FILE("client/session.js", client_session_js),
    FILE("client/signaling.js", client_signaling_js),
    FILE("client/sources.js", client_sources_js),
    FILE("client/state.js", client_state_js),
    FILE("client/statistics.js", client_statistics_js),
    FILE("client/subscribing.js", client_subscribing_js),
    FILE("client/subsessions.js", client_subsessions_js),
    FILE("client/thread.js", client_thread_js),
    FILE("client/transform.js", client_transform_js),
    FILE("icon.svg", icon_svg),
    FILE("index.html", index_html),
    FILE("session.css", session_css),
    FILE("style.css", style_css),
    FILE("talk.css", talk_css),
    FILE("ui/app.js", ui_app_js),
    FILE("ui/chart.js", ui_chart_js),
    FILE("ui/chat.js", ui_chat_js),
    FILE("ui/compose.js", ui_compose_js),
    FILE("ui/conversationlist.js", ui_conversationlist_js),
    FILE("ui/conversationmenu.js", ui_conversationmenu_js),
    FILE("ui/conversationview.js", ui_conversationview_js),
    FILE("ui/devices.js", ui_devices_js),
    FILE("ui/dialogs.js", ui_dialogs_js),
    FILE("ui/dom.js", ui_dom_js),
    FILE("ui/join.js", ui_join_js),
    FILE("ui/menu.js", ui_menu_js),
    FILE("ui/messagelog.js", ui_messagelog_js),
    FILE("ui/messages.js", ui_messages_js),
    FILE("ui/moderation.js", ui_moderation_js),
    FILE("ui/notices.js", ui_notices_js),
    FILE("ui/numbers.js", ui_numbers_js),
    FILE("ui/people.js", ui_people_js),
    FILE("ui/subsessionbanner.js", ui_subsessionbanner_js),
    FILE("ui/subsessioncard.js", ui_subsessioncard_js),
    FILE("ui/subsessionform.js", ui_subsessionform_js),
    FILE("ui/subsessionpanel.js", ui_subsessionpanel_js),
    FILE("ui/shortcuts.js", ui_shortcuts_js),
    FILE("ui/signals.js", ui_signals_js),
    FILE("ui/stage.js", ui_stage_js),
    FILE("ui/storage.js", ui_storage_js),
    FILE("ui/tabs.js", ui_tabs_js),
    FILE("ui/tile.js", ui_tile_js),
    FILE("ui/toolbar.js", ui_toolbar_js),
    FILE("ui/words.js", ui_words_js),
};

const size_t millrace_page_file_count = sizeof files / sizeof files[0];

millrace_page_file millrace_page_file_at(size_t index) { return files[index]; }
