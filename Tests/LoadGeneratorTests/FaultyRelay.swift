import LoadGenerator

/// In-process relay whose answers are faulty after a number of offers.
actor FaultyRelay: WebRTCRelay {
    enum Fault {
        case noSDP
        case otherCertificate
        case refusal
    }

    private let relay: EmbeddedRelay
    private let intact: Int
    private let fault: Fault
    private var offers = 0

    /// - Parameter intact: number of offers that are answered correctly.
    init(intact: Int, _ fault: Fault) throws {
        relay = try EmbeddedRelay()
        self.intact = intact
        self.fault = fault
    }

    func offer(_ offer: ConnectionOffer) async throws(LoadError) -> ConnectionAnswer {
        offers += 1
        let isBroken = offers > intact
        var answer = try await relay.offer(offer)
        guard isBroken else { return answer }
        switch fault {
        case .noSDP: answer.sdp = "v=0\r\ns=nothing\r\n"
        case .otherCertificate:
            let lines = answer.sdp.split(separator: "\r\n", omittingEmptySubsequences: false).map { line in
                line.hasPrefix("a=fingerprint:") ? line.prefix(22) + String(repeating: "AB:", count: 31) + "AB" : line
            }
            answer.sdp = lines.joined(separator: "\r\n")
        case .refusal: throw .refused(status: 403, code: "forbidden", detail: "not you")
        }
        return answer
    }

    func close(_ resource: ConnectionResource) async { await relay.close(resource) }
    func usage() async -> RelayUsage? { await relay.usage() }
    func stop() async { await relay.stop() }
}
