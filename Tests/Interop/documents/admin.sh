# Recordings of the sessions "demo" and "lobby", then a relay with participants, streams and a report.
TOKEN=0123456789abcdef0123456789abcdef
SECRET=another-long-random-text-of-32-characters
certificate
mkdir -p .local/share/bash-completion/completions .zfunc .config/fish/completions
relay 7900 --record recordings
client publish http://127.0.0.1:7900 /v1/sessions/lobby/plain cam1 "$CLIP" 5 &
client publish http://127.0.0.1:7900 /v1/sessions/demo/plain cam1 "$CLIP" 5
end_relay
cp recordings/demo/*.webm cam1.webm
relay 7900 --admin-token "$TOKEN" --apps "shop:$SECRET" --app-default shop --crash-directory crash
export MILLRACE_ADMIN_TOKEN=$TOKEN
background client publish http://127.0.0.1:7900 /v1/sessions/demo/plain cam1 "$CLIP"
client publish http://127.0.0.1:7900 "/v1/sessions/support%2017/plain?app=shop" cam2 "$CLIP" 60 &
# participant SESSION: the id of its first participant.
participant() {
    curl -s -H "Authorization: Bearer $TOKEN" "http://127.0.0.1:7900/v1/admin/sessions/$1/participants" |
        python3 -c 'import json, sys; print(json.load(sys.stdin)["participants"][0]["id"])'
}
publishers() {
    PARTICIPANT=$(participant support%2017) && PUBLISHER=$(participant demo)
}
until_true publishers
ISSUE=$(client report http://127.0.0.1:7900 "$(millrace token --app shop --secret "$SECRET" --session demo --identity ada)" demo)
unset MILLRACE_ADMIN_TOKEN
printf 'admin:\n  token: %s\napps: ["shop:%s"]\nmedia:\n  port: 8982\nwebrtc:\n  port: 8882\n' "$TOKEN" "$SECRET" >relay.yaml

# crash: the relay crashes and is started again; the document reads its report.
crash() {
    kill -SEGV "$RELAY"
    wait "$RELAY" || true
    KEPT=()
    # The next start gives the report its final name.
    relay 7900 --crash-directory crash
    mv crash/crash-*.txt .
    ln -s "$(readlink -f "$(command -v millrace)")" millrace-0.1.0-linux-x86_64.debug
}

after() {
    [ -s "issue-$ISSUE.json" ]
    [ -s .zfunc/_millrace ]
    [ -s .config/fish/completions/millrace.fish ]
    bash -n .local/share/bash-completion/completions/millrace
    [ -s recordings/lobby/session.mkv ]
    [ -s lobby.mkv ]
    [ "$(head -c 9 cam1.y4m)" = YUV4MPEG2 ]
    compgen -G "stills/*.png"
    # The signature of docs/admin.md#webhooks, and a wrong one.
    python3 - "$BLOCKS/python-1" <<'PYTHON'
import hashlib, hmac, runpy, sys, time
is_genuine = runpy.run_path(sys.argv[1])["is_genuine"]
now = str(int(time.time()))
code = hmac.new(b"secret", now.encode() + b".body", hashlib.sha256).hexdigest()
assert is_genuine(f"t={now},v1={code}", b"body", "secret") and not is_genuine(f"t={now},v1={code}", b"other", "secret")
PYTHON
}
