import ArgumentParser
import Foundation
import RelayServer

/// `millrace serve`: runs the relay.
struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Runs the relay.",
        discussion: """
            Each flag can also be set in the environment (MILLRACE_HTTP_PORT=8080) and in a configuration file
            (http: { port: 8080 }); a flag overrides the environment, the environment overrides the file.

            Examples:
              millrace serve --dev
              millrace serve --media-advertised 203.0.113.7 --record /var/lib/millrace
              millrace serve --http-address 0.0.0.0 --http-tls-certificate cert.pem --http-tls-key key.pem --config tokens.yaml
              millrace serve --config relay.yaml --print-config
            """)

    @OptionGroup var options: ConfigurationOptions
    @Flag(help: "print every key with its value and source, and exit") var printConfig = false
    @Flag(help: "print JSON: the keys of --print-config, else log lines and the ready line") var json = false

    func run() async throws {
        var resolved = try await options.resolve()
        if printConfig {
            print(json ? try resolved.json() : resolved.text)
            return
        }
        if json, resolved.sources["log.format"] == nil { resolved.configuration.logFormat = .json }
        let relay = Relay(configuration: resolved.configuration)
        do {
            try await relay.run { await announce(relay) }
        } catch RelayError.configuration(let error) {
            FileHandle.standardError.write(Data("millrace: \(error)\n".utf8))
            throw ExitCode(2)
        } catch {
            FileHandle.standardError.write(Data("millrace: \(error)\n".utf8))
            throw ExitCode.failure
        }
    }

    /// Prints the relay's URL and media addresses once it accepts requests; with `--dev` also commands to paste.
    private func announce(_ relay: Relay) async {
        let url = relay.url
        let media = relay.configuration.advertisedAddresses
        if json {
            print("{\"url\":\"\(url)\",\"media\":[\(media.map { "\"\($0)\"" }.joined(separator: ","))]}")
        } else {
            print("millrace is ready at \(url)")
            print("clients are told to send media to \(media.joined(separator: ", "))")
            if relay.configuration.development { print(await relay.developmentHints()) }
        }
        fflush(nil)
    }
}
