# Functions and files that the commands of the documents need. documents.py runs this file, then DOCUMENT.sh, then the commands, then `after`.
# Variables: CLIP and CAMERA, test media; INTEROP, the folder of Tests/Interop. The current folder is empty, and also the home.
# shellcheck shell=bash

# Files below these folders are changed for this shell only.
for folder in /etc /var/lib; do
    name=layers${folder//\//-}
    mount -t tmpfs tmpfs /mnt
    mkdir /mnt/upper /mnt/work
    mount -t overlay "$name" -o "lowerdir=$folder,upperdir=/mnt/upper,workdir=/mnt/work" "$folder"
    umount --lazy /mnt
done
ip link set lo up
# Addresses of the documents, at an interface that WebRTC clients use.
ip link add documents type veth peer name peer
ip link set documents up
ip link set peer up
ip address add 192.0.2.1/24 dev documents
ip address add 203.0.113.7/24 dev documents
echo "127.0.0.1 localhost relay.example relay-2.example" >/etc/hosts
grep -q '^millrace:' /etc/group || echo "millrace:x:0:" >>/etc/group
# An error status of HTTP is a failure.
echo fail >.curlrc

KEPT=()

# sudo: this shell is root in its namespaces.
sudo() { "$@"; }

# background COMMAND...: starts a command that has to run until the end of the document, except after `forget`.
background() {
    "$@" </dev/null &
    KEPT+=($!)
}

# brief SECONDS COMMAND...: interrupts a command that does not end by itself, with SIGNAL if it is set. It fails if the command ends with an error.
brief() {
    local status=0
    timeout --kill-after 10 --signal "${SIGNAL:-INT}" "$@" </dev/null || status=$?
    [ $status = 0 ] || [ $status = 124 ]
}

# until_true COMMAND...: waits until a command succeeds, for at most 20 s.
until_true() {
    local _
    for _ in {1..100}; do
        "$@" >/dev/null 2>&1 && return
        sleep 0.2
    done
    echo "in vain: $*"
    return 1
}

# relay PORT OPTIONS...: starts a relay on 127.0.0.1 that runs until the end of the document, and waits for it.
relay() {
    local port=$1
    shift
    background millrace serve --http-port "$port" "$@" >>relay.log 2>&1
    RELAY=${KEPT[-1]}
    until_true curl -s "http://127.0.0.1:$port/readyz"
}

# end_relay: stops the last relay.
end_relay() {
    kill "$RELAY"
    wait "$RELAY" || true
    unset 'KEPT[-1]'
}

# certificate: makes a certificate that curl and millrace trust here, at the paths of the documents.
certificate() {
    local folder=/etc/letsencrypt/live/relay.example
    mkdir -p $folder /etc/letsencrypt/renewal-hooks/deploy /etc/millrace/tls
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=relay.example \
        -addext subjectAltName=DNS:relay.example -keyout $folder/privkey.pem -out $folder/fullchain.pem 2>/dev/null
    cp $folder/*.pem /etc/millrace/tls
    export CURL_CA_BUNDLE=$folder/fullchain.pem MILLRACE_AUTHORITIES=$folder/fullchain.pem
}

client() { python3 "$INTEROP/documents/client.py" "$@"; }

after() { :; }

# finish: the checks of the document, and that background commands still run.
finish() {
    after
    local process
    for process in "${KEPT[@]}"; do kill -0 "$process"; done
}
