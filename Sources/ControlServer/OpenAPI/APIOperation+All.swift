extension APIOperation {
    private static let app: (name: String, about: String) = ("app", "App of the session; by default the default app")
    private static let paging: [(name: String, about: String)] = [
        ("after", "`next` of the previous page"), ("limit", "Maximum entries of a page, 1 to 1000; by default 100"),
    ]
    private static let password: (name: String, about: String) = (
        "password", "Session password, if the session has one; not needed with the endpoint's own token"
    )
    private static let admin = "/v1/admin/sessions/{session}"

    /// All operations of the relay. A test compares them with the router.
    package static let all: [APIOperation] =
        operation + page + tokens + sessions + users + streams(under: "/v1") + administration
        + streams(under: "/v1/admin")
        + relay
        + webRTC

    private static let operation: [APIOperation] = [
        .get("/healthz", .open, "operation", "Liveness of the process", .type("text/plain")),
        .get("/readyz", .open, "operation", "Readiness for new work; 503 while the relay drains", .type("text/plain")),
        .get(
            "/metrics", .open, "operation",
            "Counters and gauges as Prometheus text; needs the admin token if other hosts can reach it",
            .type("text/plain")),
        .get("/v1/openapi.json", .open, "operation", "This document", .type("application/json")),
    ]

    private static let page: [APIOperation] = [
        .get("/", .open, "page", "The page: join, publish, watch, moderate", .type("text/html")),
        .get("/admin", .open, "page", "The operator view, which needs the admin token", .type("text/html")),
        .get("/page/{name}", .open, "page", "A file of the page or the operator view", .type("*/*")),
        .get("/page/{name}/{file}", .open, "page", "A file of the page or the operator view", .type("*/*")),
    ]

    private static let tokens: [APIOperation] = [
        .act(
            "POST", "/v1/tokens", .app, "tokens", "Mints a session token with the app's secret",
            body: .json("TokenRequest"), status: 201, .json("Token")),
        .get(
            "/v1/dev/token", .open, "tokens", "A token of the built-in app; only with --dev",
            query: [
                ("session", "Name of the session"), ("name", "Default identity of the user, cut to 35 characters"),
                ("identity", "Identity of the user, if it differs from the name; at most 35 characters"),
                ("role", "host (by default), participant, publisher, subscriber or moderator"),
            ], .json("Token")),
    ]

    private static let users: [APIOperation] = [
        .get(
            "/v1/users/{user}/export", .admin, "users", "All conversations of a user, one JSON object per line",
            query: [("app", "App of the user; by default the default app")], .type("application/x-ndjson")),
        .act(
            "DELETE", "/v1/users/{user}", .admin, "users", "Removes a user's conversations and messages",
            query: [("app", "App of the user; by default the default app")]),
    ]

    private static let sessions: [APIOperation] = [
        .get(
            "/v1/connect", .session, "sessions", "A WebSocket of the control protocol, millrace.v1",
            query: [("token", "The session token, if it is neither in Authorization nor in the first message")],
            status: 101),
        .get("/v1/sessions", .admin, "media", "Sessions of the media plane", .json("MediaSessions")),
        .get(
            "/v1/sessions/{session}/streams", .admin, "media", "Streams and tracks of the media plane", query: [app],
            .json("MediaStreams")),
        .act(
            "PUT", "/v1/sessions/{session}/streams/{stream}/mute", .admin, "media", "Mutes a track at the relay",
            query: [app], body: .json("Mute")),
        .act(
            "POST", "/v1/sessions/{session}/plain", .admin, "media", "Opens a plain SRTP transport",
            body: .json("PlainRequest"), status: 201, .json("PlainTransport")),
        .act("DELETE", "/v1/sessions/{session}/plain/{id}", .admin, "media", "Closes a plain SRTP transport"),
        .act(
            "POST", "/v1/sessions/{session}/plain/{id}/keyframe", .admin, "media",
            "Sends a plain subscriber a key frame"),
    ]

    private static func streams(under prefix: String) -> [APIOperation] {
        let session = prefix + "/sessions/{session}"
        let path = session + "/streams/{stream}"
        let user = session + "/participants/{participant}"
        let type: (name: String, about: String) = ("type", "camera (by default) or screen")
        return [
            .get(
                user + "/canvas.png", .admin, "canvas", "A still image of the user's stream", query: [app, type],
                .type("image/png")),
            .get(
                user + "/canvas.y4m", .admin, "canvas", "Raw frames of the user's streams until the user leaves",
                query: [app, type, ("rate", "Frames per second, 1 to 120; by default 30")], .type("video/x-yuv4mpeg")),
            .get(
                user + "/canvas.wav", .admin, "canvas", "48 kHz audio of the user's streams until the user leaves",
                query: [app, type], .type("audio/wav")),
            .get(
                path + "/canvas.png", .admin, "canvas", "A still image of the stream", query: [app],
                .type("image/png")),
            .get(
                path + "/canvas.y4m", .admin, "canvas", "Raw frames until the stream ends",
                query: [app, ("rate", "Frames per second, 1 to 120; by default 30")], .type("video/x-yuv4mpeg")),
            .get(
                path + "/canvas.wav", .admin, "canvas", "48 kHz audio until the stream ends", query: [app],
                .type("audio/wav")),
            .get(
                path + "/live.webm", .admin, "live", "The stream as endless WebM, as received", query: [app],
                .type("video/webm")),
            .get(
                path + "/live.mkv", .admin, "live", "The stream as endless Matroska, which also has H.264",
                query: [app], .type("video/matroska")),
            .get(
                session + "/live.webm", .admin, "live",
                "The session's programme as endless WebM: the active speaker or a screen, with mixed audio",
                query: [app], .type("video/webm")),
            .get(
                session + "/live.mkv", .admin, "live",
                "The session's programme as endless Matroska, which also has H.264",
                query: [app], .type("video/matroska")),
            .get(path + "/record", .admin, "recording", "State of the recording", query: [app], .json("Recording")),
            .act(
                "POST", path + "/record", .admin, "recording",
                "Starts (201) or stops (200) a recording", query: [app], body: .json("RecordRequest"), status: 200,
                .json("Recording")),
            .get(
                session + "/record", .admin, "recording", "Recordings of a session and its composed files",
                query: [app],
                .json("SessionRecording")),
            .act(
                "POST", session + "/record", .admin, "recording",
                "Starts (201) or stops (200) the recording of all streams of a session", query: [app],
                body: .json("RecordRequest"), status: 200, .json("SessionRecording")),
        ]
    }

    private static let administration: [APIOperation] = [
        .get(
            "/v1/admin/sessions", .admin, "sessions", "Live sessions in order of app and name",
            query: [("app", "App whose sessions are listed; by default all apps")] + paging, .json("SessionPage")),
        .act(
            "POST", "/v1/admin/sessions", .admin, "sessions", "Creates a session that waits for its first join",
            body: .json("SessionRequest"), status: 201, .json("Session")),
        .get(admin, .admin, "sessions", "One session", query: [app], .json("Session")),
        .act("DELETE", admin, .admin, "sessions", "Ends a session for all participants", query: [app]),
        .get(
            admin + "/participants", .admin, "participants", "Participants, in order of joining", query: [app] + paging,
            .json("ParticipantPage")),
        .get(
            admin + "/participants/{participant}", .admin, "participants", "One participant", query: [app],
            .json("Participant")),
        .act(
            "DELETE", admin + "/participants/{participant}", .admin, "participants",
            "Removes a participant, who cannot join again with the same token", query: [app]),
        .act(
            "POST", admin + "/participants/{participant}/mute", .admin, "participants", "Mutes a participant's streams",
            query: [app], body: .json("KindRequest")),
        .get(
            admin + "/participants/{participant}/statistics", .admin, "participants",
            "The relay's statistics of the participant's media", query: [app], .json("Statistics")),
        .get(
            admin + "/participants/{participant}/quality", .admin, "participants",
            "Quality of the participant's media over the last minutes, a point each second", query: [app],
            .json("Quality")),
        .get(
            admin + "/participants/{participant}/quality.csv", .admin, "participants",
            "The same as comma-separated values", query: [app], .type("text/csv")),
        .get(
            admin + "/tracks", .admin, "streams", "The media plane's counters of the session's streams", query: [app],
            .json("MediaStreams")),
        .get(
            admin + "/streams", .admin, "streams", "Streams, in order of creation", query: [app] + paging,
            .json("StreamPage")),
        .act(
            "PUT", admin + "/streams/{stream}/mute", .admin, "streams", "Mutes or unmutes a stream at the relay",
            query: [app], body: .json("Mute")),
        .act("DELETE", admin + "/streams/{stream}", .admin, "streams", "Ends a stream", query: [app]),
        .act(
            "PUT", admin + "/mute-all", .admin, "sessions",
            "Mutes the audio of all streams, including later ones, or ends the mute",
            query: [app], body: .json("MuteAll")),
        .act(
            "PUT", admin + "/share-lock", .admin, "sessions",
            "Forbids participants to share their screens, or allows it again",
            query: [app], body: .json("ShareLock")),
        .act(
            "POST", admin + "/signals", .admin, "sessions", "Sends a signal to one participant or to all", query: [app],
            body: .json("Signal")),
        .get(
            admin + "/live", .admin, "live", "Streams that are pushed to other servers", query: [app],
            .json("LiveStreams")),
        .act(
            "POST", admin + "/live", .admin, "live", "Pushes a stream or the programme to another server by WHIP",
            query: [app],
            body: .json("LiveRequest"), status: 201, .json("LiveStart")),
        .act("DELETE", admin + "/live/{live}", .admin, "live", "Ends the push of a stream", query: [app]),
    ]

    private static let relay: [APIOperation] = [
        .get("/v1/admin/relay", .admin, "relay", "Version and counts of the relay", .json("Relay")),
        .get(
            "/v1/admin/cluster", .admin, "relay", "The relays and sessions of the cluster; 404 without a cluster",
            .json("Cluster")),
        .act(
            "POST", "/v1/admin/drain", .admin, "relay",
            "Accepts nothing new, tells all clients, and exits when it is empty or the time is over",
            body: .json("DrainRequest"), status: 202, .json("DrainRequest")),
        .get(
            "/v1/admin/issues", .admin, "relay", "Reports of clients, newest first", query: paging, .json("IssuePage")),
        .get("/v1/admin/issues/{issue}", .admin, "relay", "The bundle of one report", .type("application/json")),
    ]

    private static let webRTC: [APIOperation] = {
        let offer = APIContent.type("application/sdp")
        let fragment = APIContent.type("application/trickle-ice-sdpfrag")
        var all: [APIOperation] = [
            .get("/whip/{session}", .publish, "webrtc", "No content; lets clients probe the URL", status: 204),
            .get("/whip/{session}/{stream}", .publish, "webrtc", "No content; lets clients probe the URL", status: 204),
            .act(
                "POST", "/whip/{session}/{stream}", .publish, "webrtc", "Publishes a stream (RFC 9725)",
                query: [password], body: offer, status: 201, offer),
            .act(
                "POST", "/whip/{session}", .publish, "webrtc", "Publishes a stream (RFC 9725)",
                query: [("stream", "Name of the stream; by default a random one"), password], body: offer, status: 201,
                offer),
        ]
        for path in ["/whep/{session}", "/whep/{session}/{stream}"] {
            all += [
                .get(path, .view, "webrtc", "No content; Content-Type is the media type of offers", status: 204),
                .act(
                    "POST", path, .view, "webrtc", "Subscribes to a stream",
                    query: [("wait", "Seconds to wait for the stream, 0 to 60"), password],
                    body: offer, status: 201, offer),
            ]
        }
        for (endpoint, access) in [("/whip", RouteCatalogue.Access.publish), ("/whep", .view)] {
            let path = endpoint + "/{session}/{stream}/{id}"
            all += [
                .get(path, access, "webrtc", "Checks that the transport exists", status: 204),
                .act("PATCH", path, access, "webrtc", "Trickles candidates or restarts ICE", body: fragment),
                .act("DELETE", path, access, "webrtc", "Closes the transport", status: 200),
            ]
        }
        let events = "/whep/{session}/{stream}/{id}/events"
        all += [
            .act(
                "POST", events, .view, "webrtc", "Creates an event source for the event names in the body",
                body: .type("application/json"), status: 201),
            .get(events + "/{source}", .open, "webrtc", "Server-sent events of the source", .type("text/event-stream")),
            .act("DELETE", events + "/{source}", .open, "webrtc", "Ends the event source", status: 200),
        ]
        all.append(
            .act(
                "POST", "/whep/{session}/{stream}/{id}/layer", .view, "webrtc", "Chooses the layer of the video",
                body: .json("Layer")))
        return all
    }()
}
