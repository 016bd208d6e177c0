import FFmpegBridge
import Foundation
import HTTPCalls

/// Sends a source of another protocol to a plain transport of the relay, with one supervised process of ffmpeg.
struct IngestRun: Sendable {
    private struct Answer: Decodable {
        struct Track: Decodable {
            var port: UInt16
            var rtcpPort: UInt16
        }
        var id: String
        var address: String
        var suite: String
        var clientKey: String
        var audio: Track?
        var video: Track?
    }

    /// Even numbers for audio, odd ones for video, so that the two differ.
    private static let ssrcs: ClosedRange<UInt32> = 1...(UInt32(Int32.max) - 1) / 2

    let client: AdminClient
    let session: String
    let stream: String
    let password: String?
    let source: IngestSource
    /// Path or name of ffmpeg.
    let executable: String
    let program: SupervisedProgram

    func run() async { await program.run { await attempt() } }

    /// Opens a transport and runs ffmpeg until it ends. Returns the reason.
    private func attempt() async -> String {
        let audio = IngestSource.Track(payloadType: 111, ssrc: .random(in: Self.ssrcs) * 2)
        let video = IngestSource.Track(payloadType: 96, ssrc: .random(in: Self.ssrcs) * 2 + 1)
        let transports = "/v1/sessions/\(HTTPTarget.percentEncoded(session))/plain"
        let answer: Answer
        do {
            let data = try await client.attempt("POST", transports, body: try AdminClient.encoded(body(audio, video)))
            answer = try client.decode(Answer.self, data)
        } catch {
            return "\(error)"
        }
        let reason: String
        do throws(ChildProgram.Failure) {
            guard let ports = answer.video ?? answer.audio else { throw .notStarted("the relay named no port") }
            let transport = IngestSource.Transport(
                address: answer.address, port: ports.port, rtcpPort: ports.rtcpPort, key: answer.clientKey,
                suite: answer.suite)
            let child = try ChildProgram(
                executable, source.arguments(to: transport, audio: audio, video: video), hasInput: false
            ) { program.report(.line($0)) }
            program.report(.started)
            reason = program.reason(await child.end(), child)
        } catch {
            reason = "\(program.name): \(error)"
        }
        // In a task of its own: after Ctrl-C this one is cancelled, and the relay should know at once that the stream has ended.
        await Task { [client] in
            _ = try? await client.attempt("DELETE", "\(transports)/\(HTTPTarget.percentEncoded(answer.id))")
        }.value
        return reason
    }

    /// Returns the body of the request for a transport.
    private func body(_ audio: IngestSource.Track, _ video: IngestSource.Track) -> [String: Any] {
        var body: [String: Any] = ["direction": "publish", "stream": stream]
        body["password"] = password
        if source.hasAudio {
            body["audio"] = ["payloadType": Int(audio.payloadType), "ssrc": Int(audio.ssrc)]
        }
        if let treatment = source.video {
            body["video"] = [
                "payloadType": Int(video.payloadType), "ssrc": Int(video.ssrc), "codec": treatment.codec,
            ]
        }
        return body
    }
}
