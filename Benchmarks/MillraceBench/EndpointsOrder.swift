import Foundation
import LoadGenerator

/// Publishers and subscribers of any relay with WHIP and WHEP, for the processes that play them.
struct EndpointsOrder: Codable {
    /// URLs of the endpoints, with `{session}` and `{stream}`.
    var whip: String
    var whep: String
    /// Bearer token of both.
    var token: String?
    var session: String
    /// Local address of media sockets.
    var address: String
    /// First port of the subscribers.
    var base: Int
    var publishers: Int
    var subscribers: Int
    var isVideo: Bool
    /// RTP payload bytes of each packet, on average, and the maximum difference from it.
    var payload: Int
    var variation: Int
    /// Packets of each publisher's frames.
    var burst: Int
    var perSecond: Double
    var pacing: VideoPacing
    /// Whether publishers send at the same moment, or each at its own time within the interval.
    var together: Bool
    /// Whether subscribers negotiate bandwidth feedback, and send it with receiver reports as a browser does; otherwise they send only
    /// connectivity checks.
    var feedback: Bool
    /// SRTP suite, as named in SDP.
    var suite: String

    func relay() throws -> HTTPRelay { try HTTPRelay(address: nil, whip: whip, whep: whep, token: token) }

    func stream(_ publisher: Int) -> String { "stream-\(publisher)" }

    /// Reads the order from the first line of the input.
    static func read() throws -> EndpointsOrder {
        guard let line = readLine() else { throw BenchError("no order") }
        let order = try JSONDecoder().decode(EndpointsOrder.self, from: Data(line.utf8))
        guard (1...12).contains(order.publishers), (1...5000).contains(order.subscribers),
            (1...(60_000 - order.subscribers)).contains(order.base), (1...64).contains(order.burst),
            order.perSecond.isFinite, (0.1...10_000).contains(order.perSecond), order.variation >= 0,
            ((order.isVideo ? 32 : 2)...1200).contains(order.payload - order.variation),
            order.payload + order.variation <= 1200
        else { throw BenchError("a value of the order is out of range") }
        return order
    }
}
