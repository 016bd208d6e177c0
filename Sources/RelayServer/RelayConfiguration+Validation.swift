extension RelayConfiguration {
    /// Checks keys that depend on each other.
    func validateTogether() throws(ConfigurationError) {
        guard httpTLSCertificate.isEmpty == httpTLSKey.isEmpty else {
            throw .badValue(
                key: httpTLSKey.isEmpty ? "http.tlsKey" : "http.tlsCertificate", value: "",
                allowed: "a PEM file, because the other one is set", source: .code)
        }
        guard tls == .files || httpTLSCertificate.isEmpty else {
            throw .badValue(
                key: "tls", value: tls.rawValue, allowed: "files, because http.tlsCertificate is set", source: .code)
        }
        let missing = missingForExposure
        guard missing.isEmpty else { throw .exposed(address: httpAddress, missing: missing) }
        let keys = appDirectory.keys
        guard appDefault.isEmpty || keys.contains(appDefault) else {
            throw .badValue(
                key: "app.default", value: appDefault,
                allowed: keys.isEmpty ? "nothing (there are no apps)" : keys.joined(separator: ", "), source: .code)
        }
        guard clusterURL.isEmpty || storageDirectory.isEmpty else {
            throw .badValue(
                key: "storage.directory", value: storageDirectory,
                allowed: "nothing, because the relays of a cluster share conversations by storage.url", source: .code)
        }
        guard storageURL.isEmpty || storageDirectory.isEmpty else {
            throw .badValue(
                key: "storage.directory", value: storageDirectory, allowed: "nothing, because storage.url is set",
                source: .code)
        }
        guard bandwidthMinimumKilobits <= bandwidthStartKilobits, bandwidthStartKilobits <= bandwidthMaximumKilobits
        else {
            throw .badValue(
                key: "bandwidth.startKilobits", value: String(bandwidthStartKilobits),
                allowed: "\(bandwidthMinimumKilobits) to \(bandwidthMaximumKilobits), by the other bandwidth keys",
                source: .code)
        }
    }
}
