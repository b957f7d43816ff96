import { ApiError, ApiRequest, ApiResponse, Connection } from '../../../src/engine/transport/api';
import { NodeTransport, NodeTransportOptions } from '../../../src/engine/transport/node-transport';
import { Fault, FaultProxy, ProxiedAnswer, ProxiedRequest } from '../../support/fault-proxy';

export const OK: ProxiedAnswer = {
  status: 200,
  body: { kind: 'ConfigMap', metadata: { name: 'a' } },
};

const closers: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0)) {
    await close();
  }
});

export async function server(
  answer: (request: ProxiedRequest) => ProxiedAnswer = () => OK,
): Promise<FaultProxy> {
  const proxy = await FaultProxy.start(answer);
  closers.push(() => proxy.close());
  return proxy;
}

export function connection(proxy: FaultProxy, more: Partial<Connection> = {}): Connection {
  return {
    name: 'context prod',
    server: new URL(proxy.url),
    ca: proxy.ca,
    credentials: async () => ({ headers: { authorization: 'Bearer tok-1' } }),
    ...more,
  };
}

export function transport(
  proxy: FaultProxy,
  options: NodeTransportOptions = {},
  more: Partial<Connection> = {},
): NodeTransport {
  // the full pause of each try, so that times are known
  const made = new NodeTransport(connection(proxy, more), {
    pace: { baseMs: 2, capMs: 20 },
    random: () => 1,
    ...options,
  });
  closers.push(() => made.close());
  return made;
}

export const GET: ApiRequest = { method: 'GET', path: '/api/v1/namespaces/x/configmaps/a' };
export const PATCH: ApiRequest = {
  method: 'PATCH',
  path: '/api/v1/namespaces/x/configmaps/a',
  contentType: 'application/apply-patch+yaml',
  body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } },
};

export async function failure(promise: Promise<ApiResponse>): Promise<ApiError> {
  const error: unknown = await promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(ApiError);
  return error as ApiError;
}

export const first =
  (count: number, fault: Fault) =>
  ({ n }: ProxiedRequest): Fault | undefined =>
    n <= count ? fault : undefined;
export const answers = (count: number, answer: ProxiedAnswer) =>
  first(count, { kind: 'answer', answer });
