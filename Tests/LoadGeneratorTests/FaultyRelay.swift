import LoadGenerator
import MediaEngine

/// In-process relay whose answers are faulty after a number of them.
actor FaultyRelay: RelayInterface {
    enum Fault {
        case noSDP
        case otherCertificate
        case refusal
        /// The address of a plain transport is a name.
        case noAddress
    }

    private let relay: EmbeddedRelay
    private let intact: Int
    private let fault: Fault
    private var answers = 0

    /// - Parameter intact: number of requests that are answered correctly.
    init(intact: Int, _ fault: Fault) throws {
        relay = try EmbeddedRelay()
        self.intact = intact
        self.fault = fault
    }

    /// Counts an answer, and returns whether it must be faulty.
    private func isBroken() -> Bool {
        answers += 1
        return answers > intact
    }

    func open(_ request: PlainTransportRequest) async throws(LoadError) -> PlainTransport {
        let isBroken = isBroken()
        var transport = try await relay.open(request)
        guard isBroken else { return transport }
        switch fault {
        case .refusal: throw .refused(status: 403, code: "forbidden", detail: "not you")
        case .noAddress: transport.address = "relay.example"
        case .noSDP, .otherCertificate: break
        }
        return transport
    }

    func close(_ transport: PlainTransport) async { await relay.close(transport) }

    func offer(
        _ sdp: String, _ direction: WebRTCRequest.Direction, session: String, stream: String
    ) async throws(LoadError) -> ConnectionAnswer {
        let isBroken = isBroken()
        var answer = try await relay.offer(sdp, direction, session: session, stream: stream)
        guard isBroken else { return answer }
        switch fault {
        case .noSDP: answer.sdp = "v=0\r\ns=nothing\r\n"
        case .otherCertificate:
            let lines = answer.sdp.split(separator: "\r\n", omittingEmptySubsequences: false).map { line in
                line.hasPrefix("a=fingerprint:") ? line.prefix(22) + String(repeating: "AB:", count: 31) + "AB" : line
            }
            answer.sdp = lines.joined(separator: "\r\n")
        case .refusal: throw .refused(status: 403, code: "forbidden", detail: "not you")
        case .noAddress: break
        }
        return answer
    }

    func close(_ resource: ConnectionResource) async { await relay.close(resource) }
    func usage() async -> RelayUsage? { await relay.usage() }
    func stop() async { await relay.stop() }
}
