import { failure, OK, server, transport } from './_transport';
import { ApiRequest } from '../../../src/engine/transport/api';

const PIECES = 50;
const PIECE = Buffer.alloc(64 * 1024, 'x');

function upload(pieces: () => AsyncIterable<Uint8Array>): ApiRequest {
  return {
    method: 'POST',
    path: '/v1/upload',
    query: { size: '1' },
    contentType: 'multipart/form-data; boundary=b',
    stream: { length: PIECES * PIECE.length, open: pieces },
  };
}

test('sends a body piece by piece, with its length', async () => {
  const seen: { body: string; headers: { [name: string]: unknown } }[] = [];
  const api = await server(({ body, headers }: any) => {
    seen.push({ body, headers });
    return OK;
  });
  await transport(api).request(
    upload(async function* () {
      for (let piece = 0; piece < PIECES; piece++) {
        yield PIECE;
      }
    }),
  );
  expect(seen).toHaveLength(1);
  expect(seen[0].headers).toMatchObject({
    'content-type': 'multipart/form-data; boundary=b',
    'content-length': String(PIECES * PIECE.length),
  });
});

test('is not sent again after a failure', async () => {
  let opened = 0;
  const api = await server(() => ({ status: 503, body: { kind: 'Status', message: 'busy' } }));
  const error = await failure(
    transport(api).request(
      upload(async function* () {
        opened++;
        for (let piece = 0; piece < PIECES; piece++) {
          yield PIECE;
        }
      }),
    ),
  );
  expect([error.failure, opened]).toEqual(['transient', 1]);
});

test('reports that its source failed', async () => {
  const api = await server();
  const error = await failure(
    transport(api).request(
      upload(async function* () {
        yield PIECE;
        throw new Error('the disk is gone');
      }),
    ),
  );
  expect(error.message).toContain('the disk is gone');
});
