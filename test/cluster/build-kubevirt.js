// Prints the folder with KubeVirt's definitions of virtual machines, which a Go program makes from
// the schemas of KubeVirt's client library. Exit codes as those of build.js.
'use strict';

const fs = require('node:fs');
const path = require('node:path');
const { GoModule } = require('./go-cache');

const kubevirt = new GoModule('kubevirt');

console.log(
  kubevirt.cached(
    (folder) =>
      fs.writeFileSync(
        path.join(folder, 'definitions.json'),
        kubevirt.go(['run', '.'], "KubeVirt's definitions"),
      ),
    "KubeVirt's definitions: once, about half a minute",
  ),
);
