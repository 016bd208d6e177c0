package import MillraceTokens

extension TokenGrant {
    /// Role names in requests. `host` may become host and moderates, `participant` publishes; the others are the values of the `role`
    /// claim.
    package static let roleNames = ["host", "participant"] + TokenRole.allCases.map(\.rawValue)

    /// - Parameter role: one of `roleNames`.
    package mutating func set(role name: String) throws(Problem) {
        switch name {
        case "host":
            role = nil
            canHost = true
        case "participant":
            role = nil
            canHost = false
        default:
            guard let known = TokenRole(rawValue: name) else {
                throw Problem(
                    .invalidField, "\"\(name)\" is not one of \(Self.roleNames.joined(separator: ", "))", field: "role")
            }
            role = known
            canHost = false
        }
    }
}
