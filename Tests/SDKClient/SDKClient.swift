import ArgumentParser
import MediaBase
import MillraceClient

/// Publishes or subscribes with the SDK for the interoperability tests, and reports on standard output, a JSON object a line.
///
/// `Tests/Interop/webrtc/sdk.py` starts it. It ends with its process.
@main
struct SDKClient: AsyncParsableCommand {
    enum Role: String, ExpressibleByArgument { case publish, subscribe }

    static let configuration = CommandConfiguration(
        commandName: "millrace-sdk-client", abstract: "Publishes or receives test video with the SDK.")

    @Argument(help: "publish, or subscribe to the first stream of the session.") var role: Role
    @Option(help: "URL of the relay.") var url: String
    @Option(help: "Token of the session.") var token: String
    @Option(help: "VP8, H264, VP9 or AV1.") var codec = "VP8"
    @Option(help: "Name of the published stream.") var stream = "cam1"
    @Option(help: "Number of the publisher in its frames.") var source: UInt8 = 17
    @Option var width = 320
    @Option var height = 180
    @Option(help: "Frames a second.") var rate = 15
    @Option(help: "Bits a second of the video.") var bitrate: Int64 = 300_000
    @Flag(help: "Publish the video in three sizes.") var simulcast = false
    @Option(help: "Passphrase of end-to-end encryption.") var secret: String?

    func validate() throws {
        guard VideoCodec(rawValue: codec) != nil else { throw ValidationError("unknown codec \(codec)") }
        guard (1...120).contains(rate) else { throw ValidationError("a rate is 1 to 120") }
    }

    /// Returns a session that this client has joined.
    func join(_ name: String) async throws -> Session {
        let session = Session(url: url, token: token)
        try await session.connect(name: name)
        if let secret { try await session.setEncryptionSecret(secret) }
        return session
    }

    func run() async throws {
        switch role {
        case .publish: try await PublishRun(self).run()
        case .subscribe: try await SubscribeRun(self).run()
        }
    }
}
