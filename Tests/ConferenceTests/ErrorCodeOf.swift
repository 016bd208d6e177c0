import Signaling

/// The code of the error that `body` throws; nil for none, `internalError` for one without a code.
func code(_ body: () throws -> Void) -> ErrorCode? {
    do {
        try body()
        return nil
    } catch {
        return (error as? SignalingError)?.code ?? .internalError
    }
}
