import Messaging

/// Transaction of several commands.
protocol DivisibleTransaction: MessageTransaction {
    /// Calls `body`, and rolls its changes back if it throws a `SignalingError`.
    func isolate<Value>(_ body: () throws -> Value) throws -> Value
}

extension MessageStore: DivisibleTransaction {}
