import { spawnSync } from 'child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'fs';
import { join } from 'path';
import { parse } from 'yaml';
import { tempFolder } from '../support/temp';

const CI = join(__dirname, '..', '..', 'templates', 'ci');
const WORKFLOWS = join(CI, 'github', '.github', 'workflows');

type Loose = any;

function read(file: string): Loose {
  return parse(readFileSync(file, 'utf8'));
}

/** The script of a step, by its name. */
function step(workflow: Loose, job: string, name: string): string {
  return workflow.jobs[job].steps.find((each: Loose) => each.name === name).run;
}

/** Texts by name. */
type Texts = { readonly [name: string]: string };

interface Ran {
  readonly status: number | null;
  readonly output: string;
  /** What the stubs were called with. */
  readonly calls: readonly string[];
  readonly folder: string;
}

/**
 * Runs a script as a pipeline does, with stubs in place of programs: each records its arguments,
 * and runs its own script.
 */
function run(script: string, stubs: Texts, env: NodeJS.ProcessEnv = {}, files: Texts = {}): Ran {
  const folder = tempFolder();
  const bin = join(folder, 'bin');
  mkdirSync(bin);
  for (const [file, text] of Object.entries(files)) {
    writeFileSync(join(folder, file), text);
  }
  for (const [program, text] of Object.entries(stubs)) {
    writeFileSync(
      join(bin, program),
      `#!/bin/bash\nprintf '%s %s\\n' ${program} "$*" >> ${folder}/calls\n${text}\n`,
      { mode: 0o755 },
    );
  }
  const outputs = {
    GITHUB_OUTPUT: join(folder, 'output'),
    GITHUB_STEP_SUMMARY: join(folder, 'summary'),
    RUNNER_TEMP: folder,
  };
  const { status, stdout, stderr } = spawnSync(
    'bash',
    ['--noprofile', '--norc', '-eo', 'pipefail', '-c', script],
    {
      cwd: folder,
      encoding: 'utf8',
      env: { PATH: `${bin}:${process.env.PATH}`, ...outputs, ...env },
    },
  );
  const calls = existsSync(join(folder, 'calls'))
    ? readFileSync(join(folder, 'calls'), 'utf8').trim().split('\n')
    : [];
  return { status, output: `${stdout}${stderr}`, calls, folder };
}

const REPORT = '<!-- cdk8s-harvester review: . -->\n\n## ❌ Review: errors\n';

/** `npx cdk8s-harvester review`, which writes a report and exits with 3. */
const REVIEWS = `printf '%s' '${REPORT}' > review.md; exit 3`;
const FAILS = "echo 'cdk8s-harvester: --base: no common ancestor' >&2; exit 1";

describe('GitHub', () => {
  const review = read(join(WORKFLOWS, 'review.yaml'));
  const drift = read(join(WORKFLOWS, 'drift.yaml'));

  test('runs the code of a pull request without secrets and without permission to write', () => {
    expect(Object.keys(read(join(WORKFLOWS, 'review.yaml')))).not.toContain('pull_request_target');
    expect([review.on, review.permissions, review.jobs.review.permissions]).toEqual([
      'pull_request',
      { contents: 'read' },
      undefined,
    ]);
    expect(JSON.stringify(review.jobs.review)).not.toMatch(/secrets\.|github\.token/);
    expect(review.jobs.review.steps[0].with).toEqual({
      'fetch-depth': 0,
      'persist-credentials': false,
    });
    // what may write checks out nothing
    expect(review.jobs.comment.permissions).toEqual({ 'pull-requests': 'write' });
    expect(JSON.stringify(review.jobs.comment)).not.toContain('uses');
    // no script contains what others can write
    expect(
      review.jobs.review.steps
        .concat(review.jobs.comment.steps, drift.jobs.drift.steps)
        .filter((each: Loose) => String(each.run).includes('${{')),
    ).toEqual([]);
  });

  test('keeps the report and the exit code of the review', () => {
    const { status, calls, folder } = run(
      step(review, 'review', 'Review'),
      { npx: REVIEWS },
      { BASE: 'origin/main' },
    );
    expect([status, calls]).toEqual([
      3,
      ['npx cdk8s-harvester review --base origin/main --output markdown --output-file review.md'],
    ]);
    expect(readFileSync(join(folder, 'output'), 'utf8')).toMatch(
      /^report<<(end-[0-9a-f]{32})\n<!-- [\s\S]*errors\n\n\1\n$/,
    );
    expect(readFileSync(join(folder, 'summary'), 'utf8')).toBe(REPORT);
  });

  test('reports why there is no review', () => {
    const { status, folder } = run(
      step(review, 'review', 'Review'),
      { npx: FAILS },
      { BASE: 'origin/main' },
    );
    expect(status).toBe(1);
    expect(readFileSync(join(folder, 'summary'), 'utf8')).toBe(
      '<!-- cdk8s-harvester review: . -->\n\n## ❌ Review: failed\n\n    cdk8s-harvester: --base: no common ancestor\n',
    );
  });

  const ENV = { REPOSITORY: 'acme/platform', PULL_REQUEST: '7', REPORT };

  test('comments once, and edits that comment', () => {
    const comment = step(review, 'comment', 'Comment');
    const first = run(comment, { gh: '' }, ENV);
    expect(first).toMatchObject({
      status: 0,
      calls: [
        expect.stringMatching(
          /^gh api repos\/acme\/platform\/issues\/7\/comments --paginate --jq /,
        ),
        'gh api --silent --method POST repos/acme/platform/issues/7/comments --field body=@report.md',
      ],
    });
    expect(readFileSync(join(first.folder, 'report.md'), 'utf8')).toBe(`${REPORT}\n`);
    const second = run(
      comment,
      {
        gh: 'case "$*" in *--jq*) [ "$MARKER" = "<!-- cdk8s-harvester review: . -->" ] && echo 42;; esac',
      },
      ENV,
    );
    expect(second.calls[1]).toBe(
      'gh api --silent --method PATCH repos/acme/platform/issues/comments/42 --field body=@report.md',
    );
  });

  const commands = (doctor: number, plan: number, update: number): string =>
    `case "$*" in *doctor*) echo D; exit ${doctor};; *update*) echo U; exit ${update};; *) echo P; exit ${plan};; esac`;

  test.each([
    [0, 0, 0, 0],
    [3, 0, 0, 3],
    [0, 2, 0, 3],
    [3, 3, 2, 3],
    [0, 0, 2, 3],
    [1, 0, 0, 1],
    [0, 1, 0, 1],
    [0, 0, 1, 1],
  ])('finds drift: doctor %d, plan %d and update %d are %d', (doctor, plan, update, found) => {
    const { status, folder, calls } = run(
      step(drift, 'drift', 'Compare'),
      { npx: commands(doctor, plan, update) },
      { DRIFT_KUBECONFIG: 'secret' },
    );
    expect([status, readFileSync(join(folder, 'output'), 'utf8')]).toEqual([0, `found=${found}\n`]);
    expect(calls).toEqual([
      'npx cdk8s-harvester doctor dist --fail-on errors,warnings',
      'npx cdk8s-harvester plan dist --no-dry-run',
      'npx cdk8s-harvester adopt --update dist',
    ]);
    expect(readFileSync(join(folder, 'drift.md'), 'utf8')).toContain(
      '### doctor\n\n    D\n\n\n### plan\n\n    P\n\n\n### adopt\n\n    U\n',
    );
    expect(existsSync(join(folder, 'kubeconfig'))).toBe(false);
  });

  test('looks for drift only with a kubeconfig', () => {
    const { status, calls, output } = run(
      step(drift, 'drift', 'Compare'),
      { npx: '' },
      { DRIFT_KUBECONFIG: '' },
    );
    expect([status, calls]).toEqual([1, []]);
    expect(output).toContain('::error::set the secret DRIFT_KUBECONFIG');
  });

  test('opens one issue, edits it, closes it, and fails where there is drift', () => {
    const issue = step(drift, 'drift', 'Keep one issue');
    const env = { REPOSITORY: 'acme/platform', TITLE: 'Drift' };
    const last = (found: string, number: string): readonly [number | null, string | undefined] => {
      const { status, calls } = run(
        issue,
        { gh: `case "$*" in *--jq*) echo ${number};; esac` },
        { ...env, FOUND: found },
      );
      return [status, calls.length > 1 ? calls.at(-1) : undefined];
    };
    expect(last('3', '')).toEqual([
      3,
      'gh api --silent --method POST repos/acme/platform/issues --field title=Drift --field body=@drift.md',
    ]);
    expect(last('1', '5')).toEqual([
      1,
      'gh api --silent --method PATCH repos/acme/platform/issues/5 --field body=@drift.md',
    ]);
    expect(last('0', '5')).toEqual([
      0,
      'gh api --silent --method PATCH repos/acme/platform/issues/5 --field state=closed',
    ]);
    expect(last('0', '')).toEqual([0, undefined]);
  });
});

describe('GitLab', () => {
  const pipeline = read(join(CI, 'gitlab', '.gitlab-ci.yml'));

  test('keeps the report and the exit code of the review', () => {
    const env = { CI_MERGE_REQUEST_DIFF_BASE_SHA: 'abc' };
    const { status, calls, output } = run(
      pipeline.review.script.join('\n'),
      { npm: '', npx: REVIEWS },
      env,
    );
    expect([status, calls]).toEqual([
      3,
      ['npm ci', 'npx cdk8s-harvester review --base abc --output markdown --output-file review.md'],
    ]);
    expect(output).toContain('## ❌ Review: errors');
    expect(run(pipeline.review.script.join('\n'), { npm: '', npx: FAILS }, env)).toMatchObject({
      status: 1,
      output: expect.stringContaining('    cdk8s-harvester: --base: no common ancestor'),
    });
  });

  const ENV = {
    CI_API_V4_URL: 'https://gitlab.example.com/api/v4',
    CI_PROJECT_ID: '1',
    CI_MERGE_REQUEST_IID: '7',
    REVIEW_TOKEN: 'token',
  };
  const NOTES = 'https://gitlab.example.com/api/v4/projects/1/merge_requests/7/notes';
  /** Two pages of notes. */
  const curl = (second: string): string => `case "$*" in
*page=1) echo '[{"id":1,"body":"Hello"}]' > notes.json; printf 'HTTP/2 200\\r\\nX-Next-Page: 2\\r\\n' > headers.txt;;
*page=2) echo '${second}' > notes.json; printf 'x-next-page: \\r\\n' > headers.txt;;
esac`;

  test.each([
    ['writes one note', '[]', `--request POST --data-urlencode body@review.md ${NOTES}`],
    [
      'edits the note of the previous run',
      '[{"id":42,"body":"<!-- cdk8s-harvester review: . -->\\nold"}]',
      `--request PUT --data-urlencode body@review.md ${NOTES}/42`,
    ],
  ])('%s', (_, second, end) => {
    const { status, calls } = run(pipeline.comment.script.join('\n'), { curl: curl(second) }, ENV, {
      'review.md': REPORT,
    });
    expect([status, calls.length]).toEqual([0, 3]);
    expect(calls[2].endsWith(end)).toBe(true);
  });

  test.each([
    [0, 0, 0],
    [3, 0, 3],
    [0, 2, 3],
    [1, 0, 1],
  ])('finds drift: doctor %d and plan %d are %d', (doctor, plan, status) => {
    const npx = `case "$*" in *doctor*) exit ${doctor};; *) exit ${plan};; esac`;
    expect(
      run(pipeline.drift.script.join('\n'), { npm: '', npx }, { DRIFT_KUBECONFIG: __filename })
        .status,
    ).toBe(status);
  });

  test('looks for drift only with a kubeconfig, not with that of the runner', () => {
    const { status, calls, output } = run(pipeline.drift.script.join('\n'), { npm: '', npx: '' });
    expect([status, calls]).toEqual([1, ['npm ci']]);
    expect(output).toContain('Set the variable DRIFT_KUBECONFIG of type file');
  });
});
