import Codecs
import MediaBase
import Signaling
import Testing

@testable import MillraceClient

@Suite("Session machine: join options for audio and video") struct JoinMediaTests {
    @Test("SES-8 options are sent with every join, including the one after a lost session")
    func machine() throws {
        var options = JoinOptions()
        options.audio.isOn = false
        options.video.maximumWidth = 640
        var bench = MachineBench()
        bench.machine.connect(
            .init(session: "room", token: "t", name: "Ada", password: nil, client: nil, media: options.media),
            now: bench.now)
        bench.drain()
        bench.open()
        bench.joined()
        bench.cut()
        bench.advanceToOpen()
        bench.open()
        // The relay does not know the connection any more.
        bench.refuse(SignalingError(.resumeExpired))
        let joins = bench.sent.compactMap { message -> JoinMedia?? in
            guard let join = message.request as? JoinRequest else { return nil }
            return .some(join.media)
        }
        #expect(joins.count == 2)
        for media in joins { #expect(media == JoinMedia(startsAudioMuted: true, maximumWidth: 640)) }
    }

    @Test("SES-8 default options are not sent") func usual() {
        #expect(JoinOptions().media == nil)
        var options = JoinOptions()
        options.audio.isMusic = true
        #expect(options.media == nil)
    }

    @Test("SES-8 music is stereo and is not encoded as speech")
    func music() throws {
        let settings = PublisherSettings.Audio(bitrate: .kilobits(32), channels: 1, dtx: true).music
        #expect(settings.channels == 2 && settings.bitrate == .kilobits(128) && !settings.dtx)
        #expect(PublisherSettings.Audio(bitrate: .kilobits(256)).music.bitrate == .kilobits(256))
        let publisher = Publisher(PublisherSettings(audio: .init(channels: 1), video: nil))
        let before = publisher.audio
        publisher.encodeMusic()
        #expect(publisher.audio != nil && publisher.audio !== before)
        let encoder = try OpusEncoder(
            channels: settings.channels, application: settings.application, bitrate: settings.bitrate)
        // A different tone on each channel.
        var packet: [UInt8] = []
        for block in 0..<5 {
            let samples = (0..<1_920).map { index -> Int16 in
                let time = Double(block * 960 + index / 2) / 48_000
                let pitch = index % 2 == 0 ? 440.0 : 3_000.0
                let phase = (time * pitch).truncatingRemainder(dividingBy: 1)
                return Int16((phase - 0.5) * 12_000)
            }
            packet = try encoder.encode(PCMBlock(channels: 2, samples: samples))
        }
        let info = try OpusPacketInfo(packet)
        #expect(info.channels == 2 && info.mode == .music)
    }
}
