import { connectContext } from '../../../src/engine/auth/kubeconfig';
import { readKubeconfigFiles } from '../../../src/engine/auth/kubeconfig-files';

// run by kubeconfig.test.ts in a process of its own: jest can't import the packages that this needs

interface Asked {
  readonly context: string;
  readonly times?: number;
  readonly noExec?: boolean;
  readonly insecureSkipTlsVerify?: boolean;
}

async function connect({ context: name, times = 1, ...options }: Asked): Promise<unknown> {
  try {
    const context = readKubeconfigFiles(undefined, process.env, process.cwd()).contexts.get(name);
    if (!context || context instanceof Error) {
      throw context ?? new Error(`no context ${name}`);
    }
    const { credentials, server, ca, tlsServerName, insecureSkipTlsVerify, proxy } =
      await connectContext(context, { env: process.env, ...options });
    const given: unknown[] = [];
    for (let time = 0; time < times; time++) {
      given.push(await credentials(false));
    }
    given.push(await credentials(true));
    return {
      server: server.href,
      ca,
      tlsServerName,
      insecureSkipTlsVerify,
      proxy: proxy?.href,
      given,
    };
  } catch (error) {
    return { error: (error as Error).message };
  }
}

async function main(): Promise<void> {
  const asked = JSON.parse(process.argv[2]) as Asked[];
  const answers: unknown[] = [];
  for (const one of asked) {
    answers.push(await connect(one));
  }
  process.stdout.write(JSON.stringify(answers));
}

void main();
