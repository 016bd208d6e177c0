import CLinuxNet
package import MediaEngine

/// A relay in this process: the media engine on loopback, asked directly. What it used is its worker threads' CPU, which the
/// generator's threads have no part in.
package final class EmbeddedDoor: RelayDoor {
    private let engine: MediaEngine

    /// - Parameter workers: media threads of the relay.
    package convenience init(workers: Int = 1) throws(LoadError) {
        var configuration = EngineConfiguration()
        configuration.bindAddress = "127.0.0.1"
        configuration.plainPort = 0
        configuration.webRTC.port = 0
        configuration.webRTC.tcp = false
        configuration.workers = workers
        do { try self.init(engine: MediaEngine(configuration: configuration)) } catch {
            throw .door("the relay in the process did not start: \(error)")
        }
    }

    /// - Parameter engine: is stopped with the door.
    package init(engine: MediaEngine) { self.engine = engine }

    package func open(_ request: PlainTransportRequest) async throws(LoadError) -> PlainTransport {
        do { return try await engine.openPlain(request) } catch {
            throw .refused(status: 0, code: error.code, detail: error.description)
        }
    }

    package func close(_ transport: PlainTransport) async {
        try? await engine.closePlain(transport.id, session: transport.session)
    }

    func open(_ request: WebRTCRequest) async throws(LoadError) -> WebRTCAnswer {
        do { return try await engine.openWebRTC(request) } catch {
            throw .refused(status: 0, code: error.code, detail: error.description)
        }
    }

    func closeWebRTC(_ id: TransportID, session: String) async { try? await engine.closeWebRTC(id, session: session) }

    package func usage() async -> RelayUsage? {
        let counters = await engine.counters()
        return RelayUsage(
            cpuNanoseconds: Double(counters.workerCPU), forwardedPackets: Double(counters.packetsForwarded),
            residentBytes: Double(millrace_resident_bytes()))
    }

    package func stop() async { engine.stop() }
}
