import Testing

@Suite("Error messages of commands", .serialized)
struct CommandFailureTests {
    /// Runs `body` with the port of a server that is not a relay and answers every request with 404 and no body.
    private func withServer(_ body: (Int) async throws -> Void) async throws {
        let server = try await WebhookReceiver(script: [Int](repeating: 404, count: 100))
        try await body(server.port)
        try await server.close()
    }

    /// Returns a port without a listener.
    private func freePort() async throws -> Int {
        let server = try await WebhookReceiver()
        try await server.close()
        return server.port
    }

    @Test(
        "if no relay is running, a command ends with exit code 1 and names the command that starts one",
        arguments: [["session", "list"], ["load", "--audio"]])
    func noRelay(command: [String]) async throws {
        let result = try await MillraceProcess.run(command + ["--url", "http://127.0.0.1:\(try await freePort())"])
        #expect(result.status == 1)
        #expect(result.errors.contains("nothing listens there; start a relay with `millrace serve`"))
        #expect(
            !result.errors.contains("NIO") && !result.errors.contains("URL error") && !result.errors.contains("errno"))
    }

    @Test(
        "the error distinguishes a server that is not a relay from a relay that refuses",
        arguments: [["session", "list"], ["load", "--audio"]])
    func otherServer(command: [String]) async throws {
        try await withServer { port in
            let result = try await MillraceProcess.run(command + ["--url", "http://127.0.0.1:\(port)"])
            #expect(result.status == 1)
            #expect(result.errors.contains("HTTP 404 without a relay's error code"))
        }
    }

    @Test("an unknown host name and a port in use have their own errors")
    func namesAndPorts() async throws {
        let unknown = try await MillraceProcess.run(["session", "list", "--url", "http://relay.invalid"])
        #expect(unknown.status == 1 && unknown.errors.contains("the name does not resolve"))
        try await withServer { port in
            let taken = try await MillraceProcess.run(
                ["serve", "--http-port", "\(port)", "--media-port", "0", "--webrtc-port", "0"])
            #expect(taken.status == 1)
            #expect(taken.errors.contains("another program uses the port; stop it"))
            #expect(!taken.errors.contains("bind("))
        }
    }

    @Test(
        "wrong usage shows the usage of the command that was called",
        arguments: [
            (["session", "list", "--url", "127.0.0.1:7880"], "millrace session list"),
            (["session", "issue", "../x"], "millrace session issue"),
            (["token", "--app", "a", "--secret", "b", "--session", "s", "--role", "emperor"], "millrace token"),
        ])
    func usage(command: [String], expected: String) async throws {
        let result = try await MillraceProcess.run(command)
        #expect(result.status == 2)
        #expect(result.errors.contains("Usage: \(expected)"))
    }
}
