/// Reason for which a hostile run stops.
enum HostileError: Error, CustomStringConvertible {
    case system(call: String, errno: Int32)
    case relay(String)

    var description: String {
        switch self {
        case .system(let call, let errno): "\(call) failed with errno \(errno)"
        case .relay(let reason): reason
        }
    }
}
