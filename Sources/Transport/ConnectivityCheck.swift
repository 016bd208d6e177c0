import MediaBase
import STUN

/// Pending binding request (RFC 8445 section 7.2.4) with the timing of RFC 5389 section 7.2.
struct ConnectivityCheck {
    /// Rc of RFC 5389.
    static let sendLimit = 7
    /// Rm of RFC 5389: wait after the last request, as a multiple of the first wait.
    static let lastWait: Int64 = 16
    /// Ti of RFC 5389 section 7.2.2: timeout over TCP, which retransmits by itself.
    static let streamTimeout = MediaTime.milliseconds(39_500)

    let transaction: STUNTransactionID
    let isNomination: Bool
    /// Role of this agent when the request was made.
    let isControlling: Bool
    let datagram: [UInt8]
    /// Time of the next retransmission, or of the timeout.
    private(set) var due: MediaTime
    private var sends = 1
    private let firstWait: MediaTime
    private let isReliable: Bool

    /// - Parameters:
    ///   - firstWait: RTO of RFC 5389, which doubles with each request.
    ///   - isReliable: true over TCP.
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

    /// Handles `due`. Returns true if the request must be retransmitted; false if it has timed out.
    mutating func repeats(now: MediaTime) -> Bool {
        guard !isReliable, sends < Self.sendLimit else { return false }
        let factor = sends == Self.sendLimit - 1 ? Self.lastWait : 1 << Int64(sends)
        due = now + MediaTime(rawValue: firstWait.rawValue &* factor)
        sends += 1
        return true
    }
}
