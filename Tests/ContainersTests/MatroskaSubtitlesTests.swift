import MediaBase
import Testing

@testable import Containers

@Suite("REC-2 Subtitles of a Matroska file") struct MatroskaSubtitlesTests {
    private static let audio = MatroskaTrack(name: "Ada (audio)", media: .audio(channels: 2, preSkip: 312))

    @Test("A subtitle track comes after the others, and has each text with its time and duration")
    func roundTrip() throws {
        let sink = MemorySink()
        let writer = try MatroskaWriter(sink: sink, tracks: [Self.audio], subtitles: "Chat")
        for index in 0..<300 {
            let time = MediaTime.milliseconds(Int64(index) * 20)
            if index % 100 == 0 {
                try writer.write(subtitle: "Ada: number \(index)", timestamp: time, duration: .seconds(4))
            }
            try writer.write(track: 0, timestamp: time, duration: .milliseconds(20), isKeyframe: true, bytes: [1])
        }
        try writer.finish()
        // Texts do not make the file longer.
        #expect(writer.duration == .seconds(6))

        let reader = try WebMReader(source: MemorySource(sink.bytes))
        #expect(reader.tracks.map(\.codec) == [.opus, .other("S_TEXT/UTF8")] && reader.tracks[1].kind == nil)
        var texts: [WebMFrame] = []
        var others = 0
        while let frame = try reader.next() {
            if frame.track == 2 { texts.append(frame) } else { others += 1 }
        }
        #expect(others == 300 && reader.damage.isEmpty)
        #expect(texts.map(\.timestamp) == [.zero, .seconds(2), .seconds(4)])
        #expect(texts.map(\.duration) == [.seconds(4), .seconds(4), .seconds(4)])
        #expect(texts.map { String(decoding: $0.bytes, as: UTF8.self) } == [0, 100, 200].map { "Ada: number \($0)" })
    }

    @Test(
        "Tags, codes, empty lines and control characters of a text have no effect",
        arguments: [
            ("a <b>b</b>", "a <\u{2060}b>b<\u{2060}/b>"), (#"{\an8}up"#, "{\u{2060}\\an8}up"),
            ("one\r\n\r\ntwo\n", "one\ntwo"),
            ("\nbell\u{7} and \u{85}next", "bell and \nnext"), ("a < b", "a <\u{2060} b"), ("\n\r\u{2028}", ""),
            ("tab\tone", "tab one"),
            (
                "a\n \u{3000}\n\u{7}\t\n5\n00:00:01,000 --> 00:00:02,000\nBo: b",
                "a\n5\n00:00:01,000 --> 00:00:02,000\nBo: b"
            ),
        ])
    func plain(text: String, bytes: String) {
        #expect(String(decoding: MatroskaSubtitles.bytes(of: text), as: UTF8.self) == bytes)
    }

    @Test(
        "Texts without a subtitle track, without characters or with impossible times are refused, and subtitles in WebM"
    )
    func misuse() throws {
        let none = try MatroskaWriter(sink: MemorySink(), tracks: [Self.audio])
        #expect(throws: ContainerError.self) { try none.write(subtitle: "a", timestamp: .zero, duration: .zero) }
        let writer = try MatroskaWriter(sink: MemorySink(), tracks: [Self.audio], subtitles: "Chat")
        #expect(throws: ContainerError.self) { try writer.write(subtitle: "\n", timestamp: .zero, duration: .zero) }
        #expect(throws: ContainerError.self) {
            try writer.write(subtitle: "a", timestamp: .zero - .seconds(1), duration: .zero)
        }
        #expect(throws: ContainerError.self) { try writer.write(subtitle: "a", timestamp: .zero, duration: .never) }
        #expect(throws: ContainerError.self) {
            try MatroskaWriter(sink: MemorySink(), tracks: [Self.audio], subtitles: "Chat", documentType: .webm)
        }
        try writer.finish()
        #expect(throws: ContainerError.self) { try writer.write(subtitle: "a", timestamp: .zero, duration: .zero) }
    }
}
