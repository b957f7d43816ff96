import { parseAllDocuments } from 'yaml';
import { filesIn } from './programs';
import { HarvesterApp } from '../../src/app';

/** The objects that an app wrote, by `<target>/<Kind>/<name>`. */
export function written(app: HarvesterApp): Record<string, any> {
  app.synth();
  const files = Object.entries(filesIn(app.outdir)).filter(([file]) => file.endsWith('.yaml'));
  return Object.fromEntries(files.flatMap(([file, text]) => parseAllDocuments(text).map((document) => {
    const object = document.toJS();
    return [`${file.split('/')[0]}/${object.kind}/${object.metadata.name}`, object];
  })));
}

/** The assembly of an app that was synthesized. */
export function assemblyOf(app: HarvesterApp): any {
  return JSON.parse(filesIn(app.outdir)['assembly.json']);
}
