import Containers
import Foundation
import MediaBase
import MillraceTestKit
import Testing

@testable import Recording

/// A session's folder, written from packets in virtual time as the recorder writes it.
struct RecordedSession {
    /// Wall clock of the relay at time zero: 2026-08-01T12:00:00Z.
    static let wallClock: Int64 = 1_785_585_600_000_000_000

    /// Deletes the folder with the last copy of this value.
    private let folder = TemporaryFolder()
    var path: String { folder.path + "/lobby" }
    var output: String { folder.path + "/session.mkv" }
    private let index: RecordingIndex

    init() throws { index = try RecordingIndex(session: "lobby", directory: folder.path + "/lobby") }

    /// Records one stream.
    /// - Parameters:
    ///   - isKilled: whether the relay is killed after the last packet: the file and its entry are not completed.
    ///   - change: changes each entry before it is written.
    func record(
        _ stream: String, of name: String, identity: String? = nil, videoType: String = "camera",
        kinds: Set<MediaKind> = [.audio, .video], codec: VideoCodec = .vp8, _ packets: some Sequence<TestStream.Packet>,
        isKilled: Bool = false,
        change: (inout RecordingIndex.Entry) -> Void = { _ in }
    ) throws {
        var recording = StreamRecording(kinds: kinds, codec: codec)
        var open: (writer: WebMWriter, entry: RecordingIndex.Entry)?
        func write(_ outputs: [StreamRecording.Output]) throws {
            for output in outputs {
                switch output {
                case .open(let start):
                    let time = Self.wallClock + start.time.rawValue
                    let file = RecordingFileName.file(stream: stream, startedAt: time)
                    var entry = RecordingIndex.Entry(
                        stream: stream, file: file, start: UTCTime(unixNanoseconds: time).extended,
                        startUnixNanoseconds: time, tracks: kinds.map(\.rawValue),
                        participant: RecordingSource.Participant(id: "c-\(stream)", name: name, identity: identity),
                        videoType: videoType)
                    change(&entry)
                    try index.set(entry)
                    let configuration = WebMConfiguration(
                        video: start.hasVideo
                            ? .init(
                                codec: codec, width: start.width ?? 1, height: start.height ?? 1,
                                codecPrivate: start.codecPrivate) : nil,
                        audio: start.hasAudio ? .init(channels: 2) : nil, date: time)
                    let sink = try FileSink(path: path + "/" + file)
                    open = (try WebMWriter(sink: sink, configuration: configuration), entry)
                case .frame(let frame):
                    try open?.writer.write(
                        frame.kind, timestamp: frame.time, duration: frame.duration, isKeyframe: frame.isKeyFrame,
                        bytes: frame.bytes)
                case .clock(let points):
                    open?.entry.clock = points
                    if let entry = open?.entry { try index.set(entry) }
                case .close:
                    try open?.writer.finish()
                    let duration = open?.writer.duration.seconds
                    open?.entry.duration = duration
                    if let entry = open?.entry { try index.set(entry) }
                    open = nil
                }
            }
        }
        for packet in packets {
            recording.handleTimeout(now: packet.arrival)
            recording.insert(packet, codec: codec)
            try write(recording.outputs())
        }
        if isKilled {
            try open?.writer.flush()
        } else {
            recording.finish()
            try write(recording.outputs())
        }
    }

    /// Adds an entry without a file of the recorder.
    func add(_ entry: RecordingIndex.Entry) throws { try index.set(entry) }

    var files: [RecordingIndex.Entry] { index.entries }

    func compose() throws -> ComposeReport { try SessionComposer(folder: path, output: output).run() }

    /// Returns the frames of each track of the composed file, by the number of the track.
    func composed() throws -> [Int: [WebMFrame]] {
        let reader = try WebMReader(source: FileSource(path: output))
        var tracks: [Int: [WebMFrame]] = [:]
        while let frame = try reader.next() { tracks[frame.track, default: []].append(frame) }
        try #require(reader.damage.isEmpty)
        return tracks
    }
}
