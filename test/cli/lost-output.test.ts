import { spawn } from 'child_process';
import { join } from 'path';
import { PassThrough } from 'stream';
import { surviveLostOutput } from '../../src/cli/main';

const ROOT = join(__dirname, '..', '..');

test('reports once that the output cannot be written, and continues', () => {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  surviveLostOutput(stdout, stderr);
  surviveLostOutput(stdout, stderr);
  stdout.emit('error', Object.assign(new Error('write ENOSPC'), { code: 'ENOSPC' }));
  stdout.emit('error', Object.assign(new Error('write ENOSPC'), { code: 'ENOSPC' }));
  stderr.emit('error', new Error('write EPIPE'));
  expect(String(stderr.read())).toBe(
    'cdk8s-harvester: the output cannot be written: write ENOSPC\n',
  );
});

test('watches a stream once, however often the module is loaded', () => {
  const stdout = new PassThrough();
  for (let load = 0; load < 3; load++) {
    jest.isolateModules(() => {
      jest
        .requireActual<{ surviveLostOutput: typeof surviveLostOutput }>('../../src/cli/main')
        .surviveLostOutput(stdout, new PassThrough());
    });
  }
  expect(stdout.listenerCount('error')).toBe(1);
});

test('does not fail when the reader exits', async () => {
  // far more than a pipe holds
  const script = `
    const { surviveLostOutput } = require('./src/cli/main');
    surviveLostOutput();
    let n = 0;
    const next = () => { if (n++ < 200) { process.stdout.write('x'.repeat(10000) + '\\n'); setImmediate(next); } else { process.stderr.write('done'); } };
    next();`;
  const child = spawn(process.execPath, ['--require', require.resolve('tsx/cjs'), '-e', script], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => {
    said += chunk.toString('utf8');
  });
  child.stdout.once('data', () => child.stdout.destroy());
  expect([
    await new Promise((resolve) => {
      child.once('close', resolve);
    }),
    said,
  ]).toEqual([0, 'done']);
});
