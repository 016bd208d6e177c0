# A relay, a file to publish, a camera, and a subscriber.
cp "$CLIP" source.webm
cp "$CAMERA" camera.ts
relay 7880
background client publish http://127.0.0.1:7880 /v1/sessions/demo/plain other "$CLIP"
subscribe() { curl -s http://127.0.0.1:7880/v1/sessions/demo/plain -H 'content-type: application/json' -d "$@"; }
open_subscriber() { subscribe '{"direction":"subscribe","stream":"other","video":{"port":5020}}' -D head -o subscriber.json; }
until_true open_subscriber
LOCATION=$(sed -n 's/\r$//; s/^[Ll]ocation: //p' head)

after() {
    subscribe "$(cat "$BLOCKS/json-1")" | grep '"rtx"' >/dev/null
    ffprobe -v error -count_packets -show_entries stream=codec_type,nb_read_packets -of csv=p=0 out.mkv | sort >packets
    # Two seconds: video from the cached key frame, 50 packets of audio a second.
    awk -F, '{ if ($2 < 20) exit 1 } END { exit NR != 2 }' packets
    local stream
    for stream in cam2 cam3; do
        curl -s -o still.png "http://127.0.0.1:7880/v1/sessions/demo/streams/$stream/canvas.png"
        [ "$(head -c 4 still.png | tail -c 3)" = PNG ]
    done
    compgen -G "frame-*.png"
}
