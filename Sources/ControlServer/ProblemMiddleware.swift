import HTTPTypes
import Hummingbird
import Logging
import MediaEngine
import NIOCore
import Signaling

/// Converts each error that a handler throws to a problem document, and counts answers.
struct ProblemMiddleware: RouterMiddleware {
    typealias Context = ControlContext

    let statistics: ControlStatistics

    func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        let response: Response
        do {
            response = try await next(request, context)
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            let problem = Self.problem(for: error, request: request)
            if problem.code == .internalError {
                context.logger.error("request failed", metadata: ["path": "\(request.uri.path)", "error": "\(error)"])
            }
            statistics.problem(problem)
            var fields = problem.fields
            // The rest of a body that is too large is not read.
            if problem.code == .bodyTooLarge { fields[.connection] = "close" }
            let body = request.method == .head ? ByteBuffer() : ByteBuffer(bytes: problem.body)
            response = Response(status: problem.code.status, headers: fields, body: .init(byteBuffer: body))
        }
        statistics.answered(response.status.code)
        return response
    }

    static func problem(for error: any Error, request: Request) -> Problem {
        switch error {
        case let problem as Problem: return problem
        case let error as SignalingError: return Problem(error)
        case let error as EngineError: return Problem(error)
        case let error as DecodingError: return Problem(error)
        case let error as HTTPError where error.status == .notFound:
            if request.uri.path.hasPrefix("/v1/sessions//") { return Problem(.invalidSessionName, "the name is empty") }
            return Problem(.notFound, "nothing is at \(request.uri.path)")
        case is NIOTooManyBytesError:
            return Problem(.bodyTooLarge, "the request body is too large", limit: "http.bodyBytes")
        default: return Problem(.internalError, "the relay failed; its log has details")
        }
    }
}
