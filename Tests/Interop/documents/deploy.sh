# The configuration is that of the document; a second relay answers to `millrace session`.
certificate
cp "$BLOCKS/yaml-1" /etc/millrace/millrace.yaml
mkdir -p /var/lib/millrace/crash

after() {
    rm -r /etc/millrace/tls
    RENEWED_LINEAGE=/etc/letsencrypt/live/relay.example sh -e /etc/letsencrypt/renewal-hooks/deploy/millrace
    [ "$(stat -c %a /etc/millrace/tls/privkey.pem)" = 640 ]
    wait "$RELAY"
    KEPT=()
}
