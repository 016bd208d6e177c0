import MediaBase
import RTP

/// Constants of the RTP between two relays. Both ends must have the same ones.
enum PipeFormat {
    /// Header extensions of all packets.
    static let extensions: RTPExtensionMap = {
        var map = RTPExtensionMap()
        map[.audioLevel] = 1
        map[.videoOrientation] = 2
        map[.absCaptureTime] = 3
        map[.dependencyDescriptor] = 4
        return map
    }()
    /// `extensions` for tracks without dependency descriptors, which need the longer form of header extensions.
    static let shortExtensions: RTPExtensionMap = {
        var map = extensions
        map[.dependencyDescriptor] = nil
        return map
    }()
    /// `extensions` and `shortExtensions` for a receiving end that sends feedback: packets have transport-wide numbers.
    static let measuredExtensions = measured(extensions)
    static let measuredShortExtensions = measured(shortExtensions)
    /// Payload type of retransmissions (RFC 4588). They are told from media by their SSRCs, so that media may have the same one.
    static let rtx = PayloadType(97)
    /// Maximum number of tracks of one pipe. Each has two SSRCs.
    static let maximumTracks = 4_096
    /// Name of the relay's own RTCP packets: "MLRC".
    static let name: UInt32 = 0x4d4c_5243
    /// Interval in which demands and announced rates are repeated.
    static let controlInterval = MediaTime.milliseconds(500)
    /// Time for which the rates of an encoding that is sent again are still announced, until the receiving end has measured them.
    static let measuringTime = MediaTime.milliseconds(1500)
    /// Maximum number of SSRCs in the life of a pipe. A pipe that has used them is opened again.
    static let maximumSSRCs = 1 << 20

    private static func measured(_ map: RTPExtensionMap) -> RTPExtensionMap {
        var map = map
        map[.transportWideCC] = 5
        return map
    }
}
