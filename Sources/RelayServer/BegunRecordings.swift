/// Times at which recordings of streams were started automatically, in nanoseconds since 1970. They show whether an
/// ended recording belongs to the current stream or to an earlier one of the same name.
struct BegunRecordings {
    private var times: [String: [String: Int64]] = [:]

    mutating func note(_ session: String, _ stream: String, at time: Int64) {
        times[session, default: [:]][stream] = time
    }

    /// Removes a stream that has ended.
    mutating func forget(_ session: String, _ stream: String) {
        times[session]?[stream] = nil
        if times[session]?.isEmpty == true { times[session] = nil }
    }

    /// Returns whether a recording was started after the stream was published.
    func has(_ session: String, _ stream: String, since published: Int64) -> Bool {
        times[session]?[stream].map { $0 >= published } ?? false
    }
}
