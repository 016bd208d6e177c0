# Beside the relay of the document: one that others reach, and the resource of a subscriber.
TOKEN=0123456789abcdef0123456789abcdef
sed -n '/<!doctype/,$p' "$BLOCKS/html-1" >index.html
background millrace serve --http-address 192.0.2.1 --insecure-http --admin-token "$TOKEN" --whip-token "$TOKEN" --whep-token "$TOKEN" \
    --media-port 8982 --webrtc-port 8882 --media-advertised 192.0.2.1 >public.log 2>&1
# libnice loads libgupnp-igd, which loads a second libsoup; webrtc/upnp_stub.py replaces it.
export LD_LIBRARY_PATH=$STUB
until_true curl -s http://192.0.2.1:7880/readyz
printf 'a=ice-ufrag:abcd\r\na=ice-pwd:abcdefghijklmnopqrstuvwx\r\na=candidate:1 1 udp 1 192.0.2.9 9 typ host\r\na=end-of-candidates\r\n' >fragment

# resource: a subscriber of a stream, for the requests of the document.
resource() {
    RELAY=http://127.0.0.1:7880
    until_true curl -s $RELAY/readyz
    [ "$(curl -s -o /dev/null -w '%{http_code}' http://localhost:8000/)" = 200 ]
    background client publish $RELAY /v1/sessions/demo/plain cam1 "$CLIP"
    client offer >offer
    until_true curl -s -D head -o answer -H 'Content-Type: application/sdp' --data-binary @offer $RELAY/whep/demo
    LOCATION=$(sed -n 's/\r$//; s/^[Ll]ocation: //p' head)
    ETAG=$(sed -n 's/\r$//; s/^[Ee][Tt]ag: //p' head)
}

after() {
    # The fragment and the end of the subscriber were accepted; each load received packets.
    [ "$(grep -c '^lost  *[0-9]* of [1-9]' loads)" = 5 ]
    [ -s load.html ]
    python3 -m json.tool load.json >/dev/null
}
