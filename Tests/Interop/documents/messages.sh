# A database with a user "ada" and a message, for the relay that the document starts.
SECRET=another-long-random-text-of-32-characters
export MILLRACE_APPS=shop:$SECRET MILLRACE_APP_DEFAULT=shop
relay 7880 --storage-directory /var/lib/millrace/messages
client message http://127.0.0.1:7880 "$(millrace token --app shop --secret "$SECRET" --session any --identity ada)" bob
end_relay
cp /var/lib/millrace/messages/messages.sqlite .

after() {
    grep -q '"kind":"message"' ada.jsonl
    [ "$(sqlite3 recovered.sqlite 'PRAGMA integrity_check')" = ok ]
    [ "$(sqlite3 recovered.sqlite 'SELECT count(*) FROM message')" = 1 ]
    # A relay uses the recovered database.
    mkdir recovered
    mv recovered.sqlite recovered/messages.sqlite
    relay 7890 --storage-directory recovered --storage-required --media-port 8982 --webrtc-port 8882
    curl -s http://127.0.0.1:7890/metrics | grep '^millrace_storage_up 1' >/dev/null
}
