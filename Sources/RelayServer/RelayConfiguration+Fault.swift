#if DEBUG
    import MediaEngine
#endif

extension RelayConfiguration {
    /// In a debug build: what the relay does wrong on purpose, by its name. No key of the configuration, so that no file and no flag can
    /// set it.
    static let faultVariable = "MILLRACE_FAULT"

    #if DEBUG
        /// - Throws: where no fault has the name. Empty is none.
        static func fault(in environment: [String: String]) throws(ConfigurationError) -> Fault? {
            guard let name = environment[faultVariable], !name.isEmpty else { return nil }
            guard let fault = Fault(rawValue: name) else {
                throw .badValue(
                    key: "fault", value: name, allowed: Fault.allCases.map(\.rawValue).joined(separator: ", "),
                    source: .environment(faultVariable))
            }
            return fault
        }
    #endif
}
