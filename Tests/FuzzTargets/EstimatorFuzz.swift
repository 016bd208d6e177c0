import Forwarding
import MediaBase
import RTP

/// The bandwidth estimate of one path: sent packets, feedback, REMB, reports and time steps in any order. The peer chooses the contents of
/// all feedback; the relay chooses what it sends and reads the clock.
enum EstimatorFuzz {
    /// The overflow of a sum needs some ten thousand feedback packets.
    static let history = FuzzHistory(limit: 65_536)

    static func run(_ bytes: UnsafeRawBufferPointer) throws(FuzzViolation) {
        let path = EstimatedPath()
        try history.run(bytes) { code, input throws(FuzzViolation) in
            path.apply(code, &input)
            try path.check()
        }
    }
}
