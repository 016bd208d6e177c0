import Foundation
import MillraceClient

@main
struct Tutorial {
    static func main() async throws {
        let environment = ProcessInfo.processInfo.environment
        let url = environment["MILLRACE_URL"] ?? "http://127.0.0.1:7880"
        guard let token = environment["MILLRACE_TOKEN"] else {
            print("MILLRACE_TOKEN is not set")
            exit(2)
        }

        // 1. Ada joins and publishes a video stream.
        let ada = Session(url: url, token: token)
        try await ada.connect(name: "Ada")
        let video = PublisherSettings.Video(
            width: 320, height: 180, framesPerSecond: 15, bitrate: .kilobits(300))
        let publisher = Publisher(PublisherSettings(name: "camera", audio: nil, video: video))
        try await ada.publish(publisher)
        let drawing = Task {
            for number in 0... {
                var frame = I420Frame(width: 320, height: 180)
                let row = number % 180 * 320
                for x in 0..<320 { frame.bytes[row + x] = 235 }
                publisher.push(frame)
                try await Task.sleep(for: .milliseconds(66))
            }
        }

        // 2. Bob joins and subscribes to the first stream.
        let bob = Session(url: url, token: token)
        let events = bob.events
        try await bob.connect(name: "Bob")
        var created: StreamInfo?
        for await event in events {
            if case .streamCreated(let stream) = event {
                created = stream
                break
            }
        }
        guard let stream = created else { exit(1) }
        let subscriber = try await bob.subscribe(to: stream.id)
        var count = 0
        for await frame in subscriber.canvas.frames() {
            count += 1
            if count == 1 { print("Bob sees \(stream.name), \(frame.width)x\(frame.height)") }
            if count == 15 { break }
        }

        // 3. Bob sends a signal to all users in the session.
        let heard = ada.events
        try await bob.signal(type: "chat", data: "I see you")
        for await event in heard {
            if case .signal(_, "chat", let text) = event {
                print("Ada hears: \(text)")
                break
            }
        }

        // 4. Both leave.
        drawing.cancel()
        await bob.disconnect()
        await ada.disconnect()
        print("done")
    }
}
