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
        complete(&resolved)
        let relay = Relay(configuration: resolved.configuration)
        do {
            try await relay.run(onReady: { await announce(relay) }, reading: rereading)
        } catch RelayError.configuration(let error) {
            FileHandle.standardError.write(Data("millrace: \(error)\n".utf8))
            throw ExitCode(2)
        } catch {
            FileHandle.standardError.write(Data("millrace: \(error)\n".utf8))
            throw ExitCode.failure
        }
    }

    /// Reads the configuration again on SIGHUP. Without a file nothing can have changed, and SIGHUP ends the process.
    private var rereading: (@Sendable () async throws(ConfigurationError) -> RelayConfiguration)? {
        let loader = options.loader
        guard loader.file != nil else { return nil }
        return { () async throws(ConfigurationError) in
            var resolved = try await loader.load()
            complete(&resolved)
            return resolved.configuration
        }
    }

    /// Sets the format of the log by `--json`, unless its key is set.
    private func complete(_ resolved: inout ResolvedConfiguration) {
        if json, resolved.sources["log.format"] == nil { resolved.configuration.logFormat = .json }
    }

    /// Prints the relay's URL and media addresses once it accepts requests; with `--dev` also commands to paste.
    private func announce(_ relay: Relay) async {
        let url = relay.url
        let media = relay.configuration.advertisedAddresses
        let fingerprint = relay.selfSignedFingerprint
        if json {
            let certificate = fingerprint.map { ",\"certificate\":\"\($0)\"" } ?? ""
            print(
                "{\"url\":\"\(url)\",\"media\":[\(media.map { "\"\($0)\"" }.joined(separator: ","))]\(certificate)}")
        } else {
            print("millrace is ready at \(url)")
            print("clients are told to send media to \(media.joined(separator: ", "))")
            if let fingerprint {
                print("the page for other devices: \(relay.urlForOthers ?? "none, HTTP is bound to \(url)")")
                print("browsers warn of the self-signed certificate once; its SHA-256 fingerprint: \(fingerprint)")
            }
            if relay.configuration.development { print(await relay.developmentHints()) }
        }
        fflush(nil)
    }
}
