import ArgumentParser
import MediaBase
import MediaEngine

/// Setting of the relay that `fanout` compares with others in the same rounds.
struct FanoutVariant {
    /// Fixed time for which packets are gathered, in microseconds; nil: it follows the worker's load.
    var gather: Int?
    /// Whether RTCP of WebRTC subscribers arrives at a socket of its own.
    var separatesRTCP: Bool
    /// Codec of the video.
    var codec = VideoCodec.vp8
    /// Workers over which the subscribers are spread.
    var workers = 1

    /// Returns every combination of four lists with commas.
    static func list(gather: String, rtcp: String, codec: String, workers: String) throws -> [FanoutVariant] {
        let times = try gather.split(separator: ",").map { text -> Int? in
            if text == "load" { return nil }
            guard let time = Int(text), (0...5_000).contains(time) else {
                throw ValidationError("--gather takes load and 0 to 5000, with commas")
            }
            return time
        }
        let sockets = try rtcp.split(separator: ",").map { text in
            guard text == "own" || text == "shared" else { throw ValidationError("--rtcp takes own and shared") }
            return text == "own"
        }
        let codecs = try VideoCodec.list(codec)
        let numbers = try workers.split(separator: ",").map { text in
            guard let number = Int(text), (1...64).contains(number) else {
                throw ValidationError("--workers takes 1 to 64, with commas")
            }
            return number
        }
        return times.flatMap { time in
            sockets.flatMap { isOwn in
                codecs.flatMap { codec in
                    numbers.map {
                        FanoutVariant(gather: time, separatesRTCP: isOwn, codec: codec, workers: $0)
                    }
                }
            }
        }
    }

    var configuration: EngineConfiguration {
        var configuration = TransportsRun.configuration
        configuration.webRTC.separatesRTCP = separatesRTCP
        configuration.workers = workers
        configuration.spreadLoad = 0
        if let gather {
            configuration.gather = .microseconds(Int64(gather))
            configuration.videoLatencyBudget = configuration.gather
            configuration.audioLatencyBudget = configuration.gather
        }
        return configuration
    }
}

extension VideoCodec {
    /// Returns the codecs of a list with commas.
    static func list(_ text: String) throws -> [VideoCodec] {
        let codecs = text.split(separator: ",").map { VideoCodec(rawValue: $0.uppercased()) }
        guard !codecs.isEmpty, !codecs.contains(nil) else {
            throw ValidationError("--codec takes vp8, h264, vp9 and av1, with commas")
        }
        return codecs.compactMap(\.self)
    }
}
