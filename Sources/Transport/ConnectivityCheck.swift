import MediaBase
import STUN

/// A binding request under way (RFC 8445 section 7.2.4) with the timing of RFC 5389 section 7.2.
struct ConnectivityCheck {
    /// Rc of RFC 5389.
    static let sendLimit = 7
    /// Rm of RFC 5389: how many times the first wait it takes after the last request.
    static let lastWait: Int64 = 16
    /// Ti of RFC 5389 section 7.2.2: what a stream, which repeats by itself, is given.
    static let streamTimeout = MediaTime.milliseconds(39_500)

    let transaction: STUNTransactionID
    let isNomination: Bool
    /// The role that the request was made in.
    let isControlling: Bool
    let datagram: [UInt8]
    /// When it is to be sent again, or given up.
    private(set) var due: MediaTime
    private var sends = 1
    private let firstWait: MediaTime
    private let isReliable: Bool

    /// - Parameters:
    ///   - firstWait: RTO of RFC 5389, which doubles with each request.
    ///   - isReliable: over TCP.
    init(
        _ transaction: STUNTransactionID, isNomination: Bool, isControlling: Bool, datagram: [UInt8],
        firstWait: MediaTime,
        isReliable: Bool, now: MediaTime
    ) {
        self.transaction = transaction
        self.isNomination = isNomination
        self.isControlling = isControlling
        self.datagram = datagram
        self.firstWait = firstWait
        self.isReliable = isReliable
        due = now + (isReliable ? Self.streamTimeout : firstWait)
    }

    /// To be called when `due` has come: whether the request is to be sent again; if not, it is given up.
    mutating func repeats(now: MediaTime) -> Bool {
        guard !isReliable, sends < Self.sendLimit else { return false }
        let factor = sends == Self.sendLimit - 1 ? Self.lastWait : 1 << Int64(sends)
        due = now + MediaTime(rawValue: firstWait.rawValue &* factor)
        sends += 1
        return true
    }
}
