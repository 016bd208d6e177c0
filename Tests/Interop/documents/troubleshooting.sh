# The configuration of docs/deploy.md, on ports that leave 7880 to the running relay.
certificate
printf 'http:\n  port: 7881\nmedia:\n  advertised: 203.0.113.7\n  port: 8982\nwebrtc:\n  port: 8882\n' >/etc/millrace/millrace.yaml
relay 7880
