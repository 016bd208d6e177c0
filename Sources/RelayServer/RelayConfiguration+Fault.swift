#if DEBUG
    import MediaEngine
#endif

extension RelayConfiguration {
    /// Environment variable that names the injected fault of a debug build. It is not a configuration key, so that no
    /// file and no flag can set it.
    static let faultVariable = "MILLRACE_FAULT"

    #if DEBUG
        /// - Returns: nil if the variable is not set or empty.
        /// - Throws: `badValue` if no fault has this name.
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
