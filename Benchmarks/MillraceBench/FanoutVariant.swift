import ArgumentParser
import MediaBase
import MediaEngine

/// Setting of the relay that `fanout` compares with others in the same rounds.
struct FanoutVariant {
    /// Fixed time for which packets are gathered, in microseconds; nil: it follows the worker's load.
    var gather: Int?
    /// Whether RTCP of WebRTC subscribers arrives at a socket of its own.
    var separatesRTCP: Bool

    /// Returns every combination of two lists with commas.
    static func list(gather: String, rtcp: String) throws -> [FanoutVariant] {
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
        return times.flatMap { time in sockets.map { FanoutVariant(gather: time, separatesRTCP: $0) } }
    }

    var configuration: EngineConfiguration {
        var configuration = TransportsRun.configuration
        configuration.webRTC.separatesRTCP = separatesRTCP
        if let gather {
            configuration.gather = .microseconds(Int64(gather))
            configuration.videoLatencyBudget = configuration.gather
            configuration.audioLatencyBudget = configuration.gather
        }
        return configuration
    }
}
