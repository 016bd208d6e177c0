package import TestMedia

/// Results of a load run. Times are in milliseconds; rates are per second, over the measured time after the ramp; counts are of the
/// whole run.
package struct LoadReport: Codable, Sendable {
    /// Distribution of a measured time in milliseconds.
    package struct Spread: Codable, Sendable {
        package var count: Int
        package var min: Double
        package var p50: Double
        package var p99: Double
        package var max: Double
    }

    package struct Settings: Codable, Sendable {
        package var target: String
        package var transport: String
        package var sessions: Int
        package var publishers: Int
        package var subscribers: Int
        /// True if each publisher is a participant that subscribes to all others of its session.
        package var fullMesh: Bool
        package var video: String?
        package var videoKilobitsPerSecond: Double?
        package var simulcast: Bool
        package var audio: Bool
        package var suite: String
        /// True if publishers encrypt each frame end to end.
        package var encrypted: Bool
        package var lossPercent: Double
        package var churnPerSecond: Double
        package var seed: UInt64
        package var decodeSample: Int
    }

    package struct Sent: Codable, Sendable {
        package var packets: UInt64
        package var packetsPerSecond: Double
        package var kilobitsPerSecond: Double
        package var droppedOnPurpose: UInt64
        package var resent: UInt64
        package var keyFrameRequests: UInt64
    }

    package struct Received: Codable, Sendable {
        package var packets: UInt64
        package var expected: UInt64
        package var lost: UInt64
        package var lossPercent: Double
        package var duplicates: UInt64
        /// Packets that arrived as retransmissions.
        package var recovered: UInt64
        package var reordered: UInt64
        package var restarts: UInt64
        package var droppedOnPurpose: UInt64
        package var askedAgain: UInt64
        package var keyFrameRequests: UInt64
        /// Datagrams that are not packets of the subscription.
        package var foreign: UInt64
        package var tracks: UInt64
        package var silentTracks: UInt64
        package var packetsPerSecond: Double
        package var kilobitsPerSecond: Double
    }

    /// PSNR of the Y plane in dB.
    package struct Quality: Codable, Sendable {
        package var count: Int
        package var min: Double
        package var p50: Double
        package var mean: Double
    }

    /// Results of the decoded sample.
    package struct Video: Codable, Sendable {
        package var subscribers: Int
        package var decoded: UInt64
        package var countersMissed: UInt64
        package var unreadable: UInt64
        package var repeated: UInt64
        package var decodeErrors: UInt64
        /// Frames that could not be decrypted, in a run with end-to-end encryption.
        package var undecryptable: UInt64
        package var framesDropped: UInt64
        package var freezes: UInt64
        package var frozenMilliseconds: Double
        package var longestPauseMilliseconds: Double
        package var latency: Spread?
        package var psnr: Quality?
    }

    package struct Relay: Codable, Sendable {
        package var forwardedPackets: Double
        package var packetsPerSecond: Double
        package var cpuNanosecondsPerPacket: Double?
        /// CPU time as a number of cores; 1 is a whole core.
        package var cores: Double
        package var residentMegabytes: Double
        /// True if the resident memory is of relay and generator together.
        package var sharesProcess: Bool
    }

    package struct Generator: Codable, Sendable {
        package var cpuSeconds: Double
        package var threads: [ThreadUsage]
        package var lateSends: UInt64
        package var worstLatenessMilliseconds: Double
        package var missedSends: UInt64
        package var refusedSends: UInt64
        package var kernelDrops: UInt64
        package var decodeQueueDrops: UInt64
        package var skippedFrames: UInt64
        package var encodeTime: Spread?
        /// True if the figures above show the generator's limits rather than the relay's.
        package var isBottleneck: Bool
        package var warnings: [String]
    }

    package var settings: Settings
    /// Measured seconds, after the ramp.
    package var seconds: Double
    package var interrupted: Bool
    package var joins: Int
    package var leaves: Int
    package var failedJoins: Int
    /// Number of failed joins by `LoadError.kind`: `refused`, `noAnswer`, `unusableAnswer`, `notConnected`, or errors of this host.
    package var failedJoinsByKind: [String: Int]
    package var joinTime: Spread?
    /// Connection times of publishers and subscribers: from the SDP answer to the relay's first answer to a check (`iceTime`), and
    /// from there to the end of the handshake (`dtlsTime`).
    package var iceTime: Spread?
    package var dtlsTime: Spread?
    /// Peer connections that ended unexpectedly.
    package var connectionsLost: UInt64
    package var firstPacket: Spread?
    package var firstFrame: Spread?
    package var sent: Sent
    package var received: Received
    package var video: Video?
    package var audio: AudioStatistics?
    package var relay: Relay?
    package var generator: Generator
    /// Reasons why the run failed: exceeded thresholds, refused joins, silent tracks.
    package var failures: [String]

    package var isSuccess: Bool { failures.isEmpty }
}

extension Distribution {
    /// The distribution of a time in microseconds; nil if nothing was recorded.
    var spread: LoadReport.Spread? {
        guard count > 0 else { return nil }
        func milliseconds(_ value: Int64) -> Double { Double(value) / 1_000 }
        return LoadReport.Spread(
            count: count, min: milliseconds(minimum), p50: milliseconds(percentile(0.5)),
            p99: milliseconds(percentile(0.99)), max: milliseconds(maximum))
    }

    /// The distribution of a PSNR in hundredths of a dB; nil if nothing was recorded.
    var quality: LoadReport.Quality? {
        guard count > 0 else { return nil }
        return LoadReport.Quality(
            count: count, min: Double(minimum) / 100, p50: Double(percentile(0.5)) / 100, mean: mean / 100)
    }
}
