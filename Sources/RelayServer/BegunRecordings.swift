/// When the recording of each stream was begun unasked, in nanoseconds since 1970: so it is told apart whether a recording that has ended is of
/// the stream that is there, or of one before it of the same name.
struct BegunRecordings {
    private var times: [String: [String: Int64]] = [:]

    mutating func note(_ session: String, _ stream: String, at time: Int64) {
        times[session, default: [:]][stream] = time
    }

    /// The stream has ended.
    mutating func forget(_ session: String, _ stream: String) {
        times[session]?[stream] = nil
        if times[session]?.isEmpty == true { times[session] = nil }
    }

    /// Whether it was begun after the stream was published.
    func has(_ session: String, _ stream: String, since published: Int64) -> Bool {
        times[session]?[stream].map { $0 >= published } ?? false
    }
}
