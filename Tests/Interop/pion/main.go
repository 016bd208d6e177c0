// A Pion client of WHIP and WHEP: pion publish URL VIDEO.ivf AUDIO.ogg | pion subscribe URL
//
// Prints one line of JSON per second: {"state", "video" (frames), "audio" (packets)}, sent or received since the start. On SIGINT it deletes
// its resource and prints {"deleted": HTTP status}. Tests/Interop/webrtc/native.py builds and reads it.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/signal"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/pion/webrtc/v3"
	"github.com/pion/webrtc/v3/pkg/media"
	"github.com/pion/webrtc/v3/pkg/media/ivfreader"
	"github.com/pion/webrtc/v3/pkg/media/oggreader"
)

var videoFrames, audioPackets int64

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// pace calls next at the times that it returns (relative to the start) until the end of its file.
func pace(next func() (time.Duration, error)) {
	start := time.Now()
	for {
		at, err := next()
		if errors.Is(err, io.EOF) {
			return
		}
		check(err)
		time.Sleep(time.Until(start.Add(at)))
	}
}

func sendVideo(track *webrtc.TrackLocalStaticSample, path string) {
	file, err := os.Open(path)
	check(err)
	reader, header, err := ivfreader.NewWith(file)
	check(err)
	tick := time.Duration(header.TimebaseNumerator) * time.Second / time.Duration(header.TimebaseDenominator)
	var last time.Duration
	pace(func() (time.Duration, error) {
		frame, info, err := reader.ParseNextFrame()
		if err != nil {
			return 0, err
		}
		at := time.Duration(info.Timestamp) * tick
		length := at - last
		last = at
		atomic.AddInt64(&videoFrames, 1)
		return at, track.WriteSample(media.Sample{Data: frame, Duration: length})
	})
}

// Each page of the file has one Opus packet.
func sendAudio(track *webrtc.TrackLocalStaticSample, path string) {
	file, err := os.Open(path)
	check(err)
	reader, _, err := oggreader.NewWith(file)
	check(err)
	var last uint64
	pace(func() (time.Duration, error) {
		page, header, err := reader.ParseNextPage()
		if err != nil {
			return 0, err
		}
		length := time.Duration(header.GranulePosition-last) * time.Second / 48000
		last = header.GranulePosition
		atomic.AddInt64(&audioPackets, 1)
		return time.Duration(last) * time.Second / 48000, track.WriteSample(media.Sample{Data: page, Duration: length})
	})
}

func localTrack(peer *webrtc.PeerConnection, kind, name string) *webrtc.TrackLocalStaticSample {
	track, err := webrtc.NewTrackLocalStaticSample(webrtc.RTPCodecCapability{MimeType: name}, kind, "pion")
	check(err)
	sender, err := peer.AddTrack(track)
	check(err)
	go func() {
		buffer := make([]byte, 1500)
		for {
			if _, _, err := sender.Read(buffer); err != nil {
				return
			}
		}
	}()
	return track
}

func receive(track *webrtc.TrackRemote, _ *webrtc.RTPReceiver) {
	for {
		packet, _, err := track.ReadRTP()
		if err != nil {
			return
		}
		if track.Kind() == webrtc.RTPCodecTypeAudio {
			atomic.AddInt64(&audioPackets, 1)
		} else if packet.Marker {
			atomic.AddInt64(&videoFrames, 1)
		}
	}
}

// offer posts the offer with all candidates and applies the answer; it returns the address of the resource.
func offer(peer *webrtc.PeerConnection, address string) string {
	description, err := peer.CreateOffer(nil)
	check(err)
	gathered := webrtc.GatheringCompletePromise(peer)
	check(peer.SetLocalDescription(description))
	<-gathered
	answer, err := http.Post(address, "application/sdp", strings.NewReader(peer.LocalDescription().SDP))
	check(err)
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	check(err)
	if answer.StatusCode != http.StatusCreated {
		check(fmt.Errorf("POST %s: %s %s", address, answer.Status, text))
	}
	check(peer.SetRemoteDescription(webrtc.SessionDescription{Type: webrtc.SDPTypeAnswer, SDP: string(text)}))
	base, err := url.Parse(address)
	check(err)
	location, err := base.Parse(answer.Header.Get("Location"))
	check(err)
	return location.String()
}

func main() {
	if len(os.Args) < 3 || (os.Args[1] == "publish" && len(os.Args) < 5) {
		check(errors.New("usage: pion publish URL VIDEO.ivf AUDIO.ogg | pion subscribe URL"))
	}
	peer, err := webrtc.NewPeerConnection(webrtc.Configuration{BundlePolicy: webrtc.BundlePolicyMaxBundle})
	check(err)
	connected := make(chan struct{}, 1)
	peer.OnConnectionStateChange(func(state webrtc.PeerConnectionState) {
		if state == webrtc.PeerConnectionStateConnected {
			select {
			case connected <- struct{}{}:
			default:
			}
		}
	})
	if os.Args[1] == "publish" {
		video, audio := localTrack(peer, "video", webrtc.MimeTypeVP8), localTrack(peer, "audio", webrtc.MimeTypeOpus)
		go func() {
			<-connected
			go sendVideo(video, os.Args[3])
			sendAudio(audio, os.Args[4])
		}()
	} else {
		peer.OnTrack(receive)
		for _, kind := range []webrtc.RTPCodecType{webrtc.RTPCodecTypeVideo, webrtc.RTPCodecTypeAudio} {
			_, err := peer.AddTransceiverFromKind(kind, webrtc.RTPTransceiverInit{Direction: webrtc.RTPTransceiverDirectionRecvonly})
			check(err)
		}
	}
	location := offer(peer, os.Args[2])

	stop, lines := make(chan os.Signal, 1), json.NewEncoder(os.Stdout)
	signal.Notify(stop, os.Interrupt, syscall.SIGTERM)
	for {
		check(lines.Encode(map[string]interface{}{"state": peer.ConnectionState().String(),
			"video": atomic.LoadInt64(&videoFrames), "audio": atomic.LoadInt64(&audioPackets)}))
		select {
		case <-time.After(time.Second):
		case <-stop:
			request, err := http.NewRequest(http.MethodDelete, location, nil)
			check(err)
			answer, err := http.DefaultClient.Do(request)
			check(err)
			check(lines.Encode(map[string]interface{}{"deleted": answer.StatusCode}))
			check(peer.Close())
			return
		}
	}
}
