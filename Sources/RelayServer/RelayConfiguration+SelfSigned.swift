import Foundation
import MediaBase

/// The self-signed certificate: its file, and the names that it has.
extension RelayConfiguration {
    /// Returns the directory of the certificate: `tls` in `storageDirectory`, otherwise in the user's data directory;
    /// nil if there is neither.
    ///
    /// - Parameter environment: variables of the process.
    func selfSignedDirectory(environment: [String: String]) -> String? {
        if !storageDirectory.isEmpty { return storageDirectory + "/tls" }
        // XDG Base Directory Specification: a relative path is invalid and is ignored.
        if let data = environment["XDG_DATA_HOME"], data.hasPrefix("/") { return data + "/millrace/tls" }
        return environment["HOME"].flatMap { $0.hasPrefix("/") ? $0 + "/.local/share/millrace/tls" : nil }
    }

    /// DNS names for the certificate.
    ///
    /// - Parameter hostName: name of this host.
    func selfSignedNames(hostName: String) -> [String] {
        var seen: Set<String> = []
        return (["localhost", hostName] + Self.list(httpHosts)).filter { !$0.isEmpty && seen.insert($0).inserted }
    }

    /// Numeric addresses for the certificate: those at which browsers reach the HTTP port, loopback last, and the
    /// advertised ones.
    ///
    /// - Parameter interfaces: addresses of the host.
    func selfSignedAddresses(of interfaces: [InterfaceAddress]) -> [String] {
        var seen: Set<String> = []
        let own = Self.hostAddresses(boundTo: httpAddress, of: interfaces)
        return (own + Self.list(mediaAdvertised) + ["127.0.0.1", "::1"]).filter { seen.insert($0).inserted }
    }
}
