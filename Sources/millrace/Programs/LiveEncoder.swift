import FFmpegBridge
import Foundation

/// Encodes the programme or one stream of a session for RTMP, SRT or HLS, with one supervised process of ffmpeg.
struct LiveEncoder: Sendable {
    let client: AdminClient
    /// Path of the live stream at the relay.
    let path: String
    let destination: LiveDestination
    let encoding: LiveDestination.Encoding
    /// Path or name of ffmpeg.
    let executable: String
    let program: SupervisedProgram

    func run() async { await program.run { await attempt() } }

    /// Runs ffmpeg until the live stream or ffmpeg ends. Returns the reason.
    private func attempt() async -> String {
        var child: ChildProgram?
        var failure: String?
        do throws(AdminClient.Failure) {
            try await client.attemptStream(path) {
                // Only when the relay has accepted, so that ffmpeg does not start for a session that does not exist.
                child = try ChildProgram(executable, destination.arguments(encoding), hasInput: true) {
                    program.report(.line($0))
                }
                program.report(.started)
            } body: { bytes in
                try child?.write(bytes)
            }
        } catch {
            failure = error.description
        }
        guard let child else { return failure ?? "the live stream did not begin" }
        child.closeInput()
        let end = await child.end()
        return failure == nil ? "the live stream of the relay has ended" : program.reason(end, child)
    }
}
