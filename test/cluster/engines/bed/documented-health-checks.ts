import { readFileSync } from 'fs';
import { join } from 'path';
import { parse } from 'yaml';

const PAGE = join(__dirname, '..', '..', '..', '..', 'docs', 'argo-cd.md');

/** The health checks that the documentation has readers put into Argo CD's ConfigMap, by their keys there. */
export function documentedHealthChecks(): { readonly [key: string]: string } {
  const [, block] = /```yaml\n(data:\n[\s\S]*?)```/.exec(readFileSync(PAGE, 'utf8'))!;
  return (parse(block) as { data: { [key: string]: string } }).data;
}
