import Configuration
import Foundation
import NIOConcurrencyHelpers
import SystemPackage

/// Reads a `RelayConfiguration` from flags, environment variables and one file, in this order of precedence, with
/// defaults for the rest.
package struct ConfigurationLoader: Sendable {
    /// Values given as flags, by key name.
    package var flags: [String: String]
    package var environment: [String: String]
    /// A `.json`, `.yaml` or `.yml` file.
    package var file: String?

    package init(flags: [String: String] = [:], environment: [String: String] = [:], file: String? = nil) {
        self.flags = flags
        self.environment = environment
        self.file = file
    }

    package func load() async throws(ConfigurationError) -> ResolvedConfiguration {
        var layers: [Layer] = [flagLayer, environmentLayer]
        if let file { layers.append(try await fileLayer(file)) }

        var configuration = RelayConfiguration()
        var sources: [String: ConfigurationSource] = [:]
        for key in ConfigurationKey.all {
            for layer in layers {
                guard let text = try layer.text(of: key) else { continue }
                let source = layer.source(key)
                guard key.write(&configuration, text) else {
                    throw .badValue(
                        key: key.name, value: key.isSecret ? "(secret)" : text, allowed: key.allowed, source: source)
                }
                sources[key.name] = source
                break
            }
        }
        #if DEBUG
            configuration.fault = try RelayConfiguration.fault(in: environment)
        #endif
        return ResolvedConfiguration(configuration: configuration, sources: sources, warnings: strangeVariables)
    }

    /// A configuration provider and the source that it names for a key.
    private struct Layer {
        let provider: any ConfigProvider
        let source: (ConfigurationKey) -> ConfigurationSource
        var prefix: [String] = []

        /// Returns the value as text, whatever its scalar type in the provider.
        func text(of key: ConfigurationKey) throws(ConfigurationError) -> String? {
            let absolute = AbsoluteConfigKey(prefix + key.components)
            // JSON's `true` would also be read as the integer 1.
            let types: [ConfigType] =
                key.isSwitch
                ? [.string, .bool, .double] : [.string, .int, .double, .bool] + (key.isList ? [.stringArray] : [])
            for type in types {
                guard let result = try? provider.value(forKey: absolute, type: type) else { continue }
                switch result.value?.content {
                case nil: return nil
                case .string(let text)?: return text
                case .int(let number)?: return String(number)
                case .bool(let value)?: return String(value)
                case .double(let number)?: return String(number)
                case .stringArray(let list)? where key.isList: return list.joined(separator: ",")
                case .bytes?, .stringArray?, .intArray?, .doubleArray?, .boolArray?, .byteChunkArray?: continue
                }
            }
            throw .badValue(key: key.name, value: "(a list)", allowed: key.allowed, source: source(key))
        }
    }

    private var flagLayer: Layer {
        var values: [AbsoluteConfigKey: ConfigValue] = [:]
        for (name, text) in flags {
            let secret = ConfigurationKey.named(name)?.isSecret ?? false
            values[AbsoluteConfigKey(name.split(separator: ".").map(String.init))] = ConfigValue(
                .string(text), isSecret: secret)
        }
        return Layer(provider: InMemoryProvider(name: "flags", values: values), source: { .flag($0.flag) })
    }

    private var environmentLayer: Layer {
        let secrets = Set(ConfigurationKey.all.filter(\.isSecret).map(\.environmentVariable))
        return Layer(
            provider: EnvironmentVariablesProvider(
                environmentVariables: environment, secretsSpecifier: .specific(secrets)),
            source: { .environment($0.environmentVariable) }, prefix: ["millrace"])
    }

    private func fileLayer(_ path: String) async throws(ConfigurationError) -> Layer {
        let seen = NIOLockedValueBox<[String]>([])
        let secrets = Set(ConfigurationKey.all.filter(\.isSecret).map(\.name))
        let provider: any ConfigProvider
        do {
            // A snapshot asks for every key in the file whether it is secret. There is no other way to list its keys.
            switch path.split(separator: ".").last?.lowercased() {
            case "json":
                provider = try await FileProvider<JSONSnapshot>(
                    parsingOptions: .init(
                        secretsSpecifier: .dynamic { key, _ in
                            seen.withLockedValue { $0.append(key) }
                            return secrets.contains(key)
                        }), filePath: FilePath(path))
            case "yaml" where Self.isBlank(path), "yml" where Self.isBlank(path):
                provider = InMemoryProvider(name: "file", values: [:])
            case "yaml", "yml":
                provider = try await FileProvider<YAMLSnapshot>(
                    parsingOptions: .init(
                        secretsSpecifier: .dynamic { key, _ in
                            seen.withLockedValue { $0.append(key) }
                            return secrets.contains(key)
                        }), filePath: FilePath(path))
            default:
                throw ConfigurationError.unreadableFile(path: path, reason: "its name must end in .json, .yaml or .yml")
            }
        } catch let error as ConfigurationError {
            throw error
        } catch {
            throw .unreadableFile(path: path, reason: "\(error)")
        }
        for name in seen.withLockedValue({ $0 }).sorted() where ConfigurationKey.named(name) == nil {
            throw .unknownKey(key: name, nearest: Self.nearest(to: name), source: .file(path))
        }
        return Layer(provider: provider, source: { _ in .file(path) })
    }

    /// Returns whether a YAML file has only comments. It has no mapping, which the parser requires.
    private static func isBlank(_ path: String) -> Bool {
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else { return false }
        return text.split(whereSeparator: \.isNewline).allSatisfy {
            let line = $0.trimmingCharacters(in: .whitespaces)
            return line.isEmpty || line.hasPrefix("#")
        }
    }

    /// Warnings about unknown variables. They are not errors, because other programs may use the same prefix.
    private var strangeVariables: [String] {
        var known = Set(ConfigurationKey.all.map(\.environmentVariable)).union(["MILLRACE_CONFIG"])
        #if DEBUG
            known.insert(RelayConfiguration.faultVariable)
        #endif
        return environment.keys.filter { $0.hasPrefix("MILLRACE_") && !known.contains($0) }.sorted()
            .map { "the environment variable \($0) sets nothing" + Self.hint(about: $0) }
    }

    private static func hint(about variable: String) -> String {
        variable == RelayConfiguration.faultVariable ? ": fault injection is only available in debug builds" : ""
    }

    private static func nearest(to name: String) -> String? {
        let best = ConfigurationKey.all.map { ($0.name, distance(Array(name.utf8.prefix(64)), Array($0.name.utf8))) }
            .min { $0.1 < $1.1 }
        guard let best, best.1 <= max(2, name.utf8.count / 3) else { return nil }
        return best.0
    }

    /// Returns the edit distance (insert, delete, replace) between two texts.
    private static func distance(_ a: [UInt8], _ b: [UInt8]) -> Int {
        var row = Array(0...b.count)
        for (i, x) in a.enumerated() {
            var diagonal = row[0]
            row[0] = i + 1
            for (j, y) in b.enumerated() {
                let next = min(row[j] + 1, row[j + 1] + 1, diagonal + (x == y ? 0 : 1))
                diagonal = row[j + 1]
                row[j + 1] = next
            }
        }
        return row[b.count]
    }
}
