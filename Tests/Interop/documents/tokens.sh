# A relay at https://relay.example.
SECRET=another-long-random-text-of-32-characters
certificate
background millrace serve --http-port 443 --http-tls-certificate "$CURL_CA_BUNDLE" --http-tls-key /etc/letsencrypt/live/relay.example/privkey.pem \
    --apps "shop:$SECRET" --http-hosts relay.example >relay.log 2>&1
until_true curl -s https://relay.example/readyz

after() {
    # The relay accepts a token of the program in the document: it answers that the session has no stream, not that the token is wrong.
    local token
    token=$(python3 -c 'import runpy, sys; print(runpy.run_path(sys.argv[1])["token"]("shop", sys.argv[2], "support 17", "anna"))' \
        "$BLOCKS/python-1" "$SECRET")
    client offer >offer
    curl -s -o answer -w '%{http_code}' -H "Authorization: Bearer $token" -H 'Content-Type: application/sdp' --data-binary @offer \
        "https://relay.example/whep/support%2017" >status || true
    grep -q 404 status
    curl -s -o answer -w '%{http_code}' -H "Authorization: Bearer ${token}x" -H 'Content-Type: application/sdp' --data-binary @offer \
        "https://relay.example/whep/support%2017" >status || true
    grep -q 401 status
}
