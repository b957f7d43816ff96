import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { ROOT, run } from './installed';
import { outputIn, programsIn, writeExpected } from './languages/programs';
import { runPython } from './languages/python';
import {
  COMBINATIONS,
  describeInstalled,
  environment,
  filesIn,
  init,
  project,
  script,
  work,
} from './new-project';
import { blocksOfPages } from '../support/docs/blocks';

/** A program with a Service of these ports. */
const withItems = (ports: string): string => `
from cdk8s_harvester import (
    GuestChart, HarvesterApp, HarvesterLoadBalancer, Ipam, LoadBalancerPort,
)

app = HarvesterApp(outdir="dist")
shop = GuestChart(app, "shop", version="v1.34.10+rke2r1")
HarvesterLoadBalancer(shop, "lb", ipam=Ipam.pool(), ports=[${ports}], selector={"app": "web"})
app.synth()
`;

describeInstalled('a project in Python that init writes', () => {
  const venv = path.join(work, 'venv');
  const bin = path.join(venv, 'bin');

  beforeAll(() => {
    const dist = path.join(work, 'wheels');
    run(process.execPath, [path.join(ROOT, 'projenrc', 'package-python.js'), dist], ROOT, {
      ...process.env,
      JSII_SILENCE_WARNING_END_OF_LIFE_NODE_VERSION: '20',
    });
    run('python3', ['-m', 'venv', venv], work);
    const [wheel] = fs.readdirSync(dist).filter((file) => file.endsWith('.whl'));
    run(
      path.join(bin, 'python'),
      ['-m', 'pip', 'install', '--quiet', path.join(dist, wheel!), 'pytest>=8'],
      work,
    );
  });

  test('has the status of a version below 1.0.0 in its metadata', () => {
    const python = path.join(bin, 'python');
    const { stdout } = run(python, ['-m', 'pip', 'show', '--verbose', 'cdk8s-harvester'], work);
    expect(stdout).toContain('Development Status :: 4 - Beta');
  });

  test('converts dicts at any depth, and refuses keys that are not props', () => {
    const folder = fs.mkdtempSync(path.join(work, 'python-'));
    const program = path.join(folder, 'main.py');
    const python = (code: string) => {
      fs.writeFileSync(program, code);
      return spawnSync(path.join(bin, 'python'), [program], {
        cwd: folder,
        env: environment('node 22', [bin]),
        encoding: 'utf8',
      });
    };
    const written = (items: string) => {
      const { status, stderr } = python(withItems(items));
      expect([status, /Traceback|Error/.exec(stderr)]).toEqual([0, null]);
      return filesIn(path.join(folder, 'dist'));
    };
    const dicts = written('{"port": 443, "target_port": 8443}');
    expect(JSON.stringify(dicts)).toContain('targetPort: 8443');
    expect(dicts).toEqual(written('LoadBalancerPort(port=443, target_port=8443)'));
    const { status, stderr } = python(
      withItems('{"port": 443, "targetPort": 8443, "nonsense": 1}'),
    );
    expect(status).toBe(1);
    expect(stderr).toContain(
      "ports[0]: LoadBalancerPort has no prop 'targetPort'. Fix: use target_port\n",
    );
    expect(stderr).toContain("ports[0]: LoadBalancerPort has no prop 'nonsense'. Fix: use one of ");
  });

  test.each([
    [
      `lb = HarvesterLoadBalancer(shop, "lb", ipam=Ipam.pool(), ports=[
    LoadBalancerPort(port=443, target_port=844300)], selector={"app": "web"})`,
      'error  [shop/lb] ports[0].target_port: must be a port from 1 to 65535, got 844300 ' +
        '(the server: "must be between 1 and 65535, inclusive"). Fix: set a port number\n' +
        '  at main.py:5\n',
    ],
    [
      `lb = HarvesterLoadBalancer(shop, "lb", ipam="pool", ports=[], selector={"app": "web"})`,
      'error  type of argument ipam must be cdk8s_harvester.Ipam; got str instead\n' +
        '  at main.py:5\n',
    ],
    [
      `VmNetwork(HarvesterChart(app, "dc1", version="1.7.2", vip="10.10.0.10"), "prod",
    cluster_network="prod", vlan=100)`,
      "error  cluster_network: must be of type cdk8s_harvester.IClusterNetwork, got 'prod'. " +
        'Fix: set a cdk8s_harvester.IClusterNetwork\n  at main.py:5\n',
    ],
    [
      `for id in ["a", "b"]:
    HarvesterLoadBalancer(shop, id, name="lb", ipam=Ipam.pool(), ports=[
        LoadBalancerPort(port=443, target_port=8443)], selector={"app": "web"})
app.synth()`,
      'synthesis failed, nothing was written\nerror  object/duplicate  Service default/lb on shop\n',
    ],
  ])('ends with the message of an error and its own lines: %s', (statement, expected) => {
    const folder = fs.mkdtempSync(path.join(work, 'python-'));
    fs.writeFileSync(
      path.join(folder, 'main.py'),
      `from cdk8s_harvester import *
app = HarvesterApp(outdir="dist")
shop = GuestChart(app, "shop", version="v1.34.10+rke2r1")

${statement}
`,
    );
    const { status, stderr } = spawnSync(path.join(bin, 'python'), ['main.py'], {
      cwd: folder,
      env: environment('node 22', [bin]),
      encoding: 'utf8',
    });
    expect(status).toBe(1);
    const printed = stderr.replaceAll(`${fs.realpathSync(folder)}/`, '');
    expect(printed.startsWith(expected)).toBe(true);
    expect(printed).not.toMatch(/jsii|Traceback|node_modules/);
  });

  test.each([COMBINATIONS[0], COMBINATIONS[5]])('passes its own checks: %s', (...combination) => {
    const folder = fs.mkdtempSync(path.join(work, 'python-'));
    init(folder, 'python', combination);
    fs.symlinkSync(path.join(project, 'node_modules'), path.join(folder, 'node_modules'), 'dir');
    const env = environment('node 22', [bin]);
    script(folder, 'synth', env);
    const first = filesIn(path.join(folder, 'dist'));
    const output = script(folder, 'check', env);
    expect(output).toContain('2 passed');
    expect(output).toContain('0 errors, ');
    script(folder, 'synth', env);
    expect(filesIn(path.join(folder, 'dist'))).toEqual(first);
  });

  test('runs the programs of the reference, which write what those in TypeScript do', () => {
    const folder = fs.mkdtempSync(path.join(work, 'python-'));
    const expected = path.join(folder, 'expected');
    writeExpected(expected);
    // the programs in TypeScript have placeholders for secrets
    const { DC1_TOKEN: _, ...env } = environment('node 22', [bin]);
    const { failed, out } = runPython(path.join(bin, 'python'), folder, env);
    expect(failed).toEqual([]);
    const names = programsIn('python').map(([name]) => name);
    const outputs = (of: string): object =>
      Object.fromEntries(names.map((name) => [name, outputIn(path.join(of, name))]));
    expect(outputs(out)).toEqual(outputs(expected));
  });

  const pages = blocksOfPages().filter(({ language }) => language === 'python');
  const isTest = ({ code }: { readonly code: string }): boolean => code.includes('def test_');

  test.each(pages.filter((page) => !isTest(page)))('runs the program of $name', ({ code }) => {
    const folder = fs.mkdtempSync(path.join(work, 'python-'));
    fs.writeFileSync(path.join(folder, 'main.py'), code);
    const env = {
      ...environment('node 22', [bin]),
      DC1_TOKEN: 'a-token-for-tests-only',
      CDK8S_OUTDIR: 'dist',
    };
    run(path.join(bin, 'python'), ['main.py'], folder, env);
    expect(filesIn(path.join(folder, 'dist'))).toHaveProperty(['assembly.json']);
  });

  test.each(pages.filter(isTest))('passes the test of $name', ({ code }) => {
    const folder = fs.mkdtempSync(path.join(work, 'python-'));
    init(folder, 'python', COMBINATIONS[0]);
    fs.symlinkSync(path.join(project, 'node_modules'), path.join(folder, 'node_modules'), 'dir');
    const env = environment('node 22', [bin]);
    script(folder, 'synth', env);
    fs.writeFileSync(path.join(folder, 'test_page.py'), code);
    expect(
      run(path.join(bin, 'python'), ['-m', 'pytest', 'test_page.py'], folder, env).stdout,
    ).toContain('2 passed');
  });
});
