import CLinuxNet
import ControlServer
import MediaBase
package import MediaEngine

/// Relay in this process: the media engine on loopback, called directly. Its usage is the CPU time of its worker threads, without
/// the generator's threads.
package final class EmbeddedRelay: RelayInterface {
    private let engine: MediaEngine

    /// Starts a relay with one media thread.
    package convenience init() throws(LoadError) {
        var configuration = EngineConfiguration()
        configuration.bindAddress = "127.0.0.1"
        configuration.plainPort = 0
        configuration.webRTC.port = 0
        configuration.webRTC.tcp = false
        configuration.workers = 1
        do { try self.init(engine: MediaEngine(configuration: configuration)) } catch {
            throw .noAnswer("the embedded relay did not start: \(error)")
        }
    }

    /// - Parameter engine: stopped by `stop()`.
    package init(engine: MediaEngine) { self.engine = engine }

    package func open(_ request: PlainTransportRequest) async throws(LoadError) -> PlainTransport {
        do { return try await engine.openPlain(request) } catch {
            throw .refused(status: 0, code: error.code, detail: error.description)
        }
    }

    package func close(_ transport: PlainTransport) async {
        try? await engine.closePlain(transport.id, session: transport.session)
    }

    package func offer(
        _ sdp: String, _ direction: WebRTCRequest.Direction, session: String, stream: String
    ) async throws(LoadError) -> ConnectionAnswer {
        let offer: ClientOffer
        do { offer = try ClientOffer(sdp.utf8, direction, codecs: VideoCodec.allCases) } catch {
            throw .refused(status: 0, code: error.code.rawValue, detail: error.detail)
        }
        let answer: WebRTCAnswer
        do { answer = try await engine.openWebRTC(offer.request(session: session, stream: stream)) } catch {
            throw .refused(status: 0, code: error.code, detail: error.description)
        }
        return ConnectionAnswer(
            sdp: offer.text(for: answer), resource: .transport(answer.id, session: answer.session))
    }

    package func close(_ resource: ConnectionResource) async {
        guard case .transport(let id, let session) = resource else { return }
        try? await engine.closeWebRTC(id, session: session)
    }

    package func usage() async -> RelayUsage? {
        let counters = await engine.counters()
        return RelayUsage(
            cpuNanoseconds: Double(counters.workerCPU), forwardedPackets: Double(counters.packetsForwarded),
            residentBytes: Double(millrace_resident_bytes()))
    }

    package func stop() async { engine.stop() }
}
