import LoadGenerator

/// A relay in the process whose answers are rubbish from some offer on.
actor BrokenDoor: WebRTCRelayDoor {
    private let door: EmbeddedDoor
    private let intact: Int
    private var offers = 0

    /// - Parameter intact: offers that are answered as they should be.
    init(intact: Int) throws {
        door = try EmbeddedDoor()
        self.intact = intact
    }

    func offer(_ offer: ConnectionOffer) async throws(LoadError) -> ConnectionAnswer {
        offers += 1
        let isBroken = offers > intact
        var answer = try await door.offer(offer)
        if isBroken { answer.sdp = "v=0\r\ns=nothing\r\n" }
        return answer
    }

    func close(_ resource: ConnectionResource) async { await door.close(resource) }
    func usage() async -> RelayUsage? { await door.usage() }
    func stop() async { await door.stop() }
}
