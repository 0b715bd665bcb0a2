#!/usr/bin/env node
// SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1
//
// The page that `btfenc diff` writes, in a browser: what it shows must be what its JSON says. The
// expectations are computed here from the JSON, by code that shares nothing with the page.
//
// usage: diff_page.js REPORT.html REPORT.json [SCREENSHOT_DIRECTORY]	(CHROMIUM: the browser)
//
// Needs node 18 and chromium, nothing else: the DevTools protocol goes through a pipe, messages of
// JSON that end in NUL. A check for which the report has no data is skipped.
// Exit status: 0 all is well, 1 something is not, 2 cannot tell.
"use strict";

const { spawn } = require("node:child_process");
const fs = require("node:fs");
const os = require("node:os");
const path = require("node:path");
const { pathToFileURL } = require("node:url");

const DESKTOP = { width: 1280, height: 900, deviceScaleFactor: 1, mobile: false };
const PHONE = { width: 360, height: 740, deviceScaleFactor: 2, mobile: true };
const CHUNK_LIMIT = 600;	// rows that the page may draw at once
const TIMEOUT = 600000;		// ms, for all

let failures = 0;

class Skip extends Error {}

// ---- the browser ----

class Browser {
	constructor(profile) {
		this.next = 1;
		this.waiting = new Map();
		this.listeners = [];
		this.process = spawn(process.env.CHROMIUM || "chromium", ["--headless=new",
			"--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
			"--hide-scrollbars", "--remote-debugging-pipe", `--user-data-dir=${profile}`],
		{ stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"] });
		this.process.on("error", (error) => cannotTell(`chromium: ${error.message}`));
		this.ended = new Promise((resolve) => this.process.on("exit", resolve));
		this.process.stdio[3].on("error", () => {});	// it has ended: seen by `ended`
		this.read(this.process.stdio[4]);
	}

	read(pipe) {
		let parts = [];
		pipe.on("data", (data) => {
			let end;
			while ((end = data.indexOf(0)) >= 0) {
				this.receive(JSON.parse(Buffer.concat([...parts, data.subarray(0, end)])));
				parts = [];
				data = data.subarray(end + 1);
			}
			parts.push(data);
		});
	}

	receive(message) {
		if (!message.id) {
			this.listeners.forEach((listener) => listener(message.method, message.params));
			return;
		}
		const { resolve, reject } = this.waiting.get(message.id);
		this.waiting.delete(message.id);
		if (message.error)
			reject(new Error(message.error.message));
		else
			resolve(message.result);
	}

	send(method, params = {}) {
		const id = this.next++;
		const message = { id, method, params, sessionId: this.session };
		this.process.stdio[3].write(JSON.stringify(message) + "\0");
		return new Promise((resolve, reject) => this.waiting.set(id, { resolve, reject }));
	}

	event(wanted) {
		return new Promise((resolve) => {
			const listener = (method, params) => {
				if (method !== wanted)
					return;
				this.listeners.splice(this.listeners.indexOf(listener), 1);
				resolve(params);
			};
			this.listeners.push(listener);
		});
	}

	async openPage() {
		const { targetId } = await this.send("Target.createTarget", { url: "about:blank" });
		const { sessionId } = await this.send("Target.attachToTarget", { targetId, flatten: true });
		this.session = sessionId;
		for (const domain of ["Page", "Runtime", "Network", "Log"])
			await this.send(`${domain}.enable`);
	}

	async load(url) {
		// Left first: a URL that differs in the hash alone would not load again.
		for (const address of ["about:blank", url]) {
			const loaded = this.event("Page.loadEventFired");
			await this.send("Page.navigate", { url: address });
			await loaded;
		}
	}

	// Runs a function in the page, which sees its arguments only.
	async run(body, ...values) {
		const list = values.map((value) => JSON.stringify(value)).join(", ");
		const { result, exceptionDetails } = await this.send("Runtime.evaluate", {
			expression: `(${body})(${list})`, awaitPromise: true, returnByValue: true });
		if (exceptionDetails)
			throw new Error(exceptionDetails.exception?.description || exceptionDetails.text);
		return result.value;
	}

	async close() {
		this.send("Browser.close").catch(() => {});
		const killed = setTimeout(() => this.process.kill("SIGKILL"), 5000);
		await this.ended;
		clearTimeout(killed);
	}
}

function cannotTell(message) {
	console.error(`diff_page.js: ${message}`);
	process.exit(2);
}

// ---- checks ----

async function check(name, body) {
	try {
		await body();
		console.log(`ok - ${name}`);
	} catch (error) {
		if (error instanceof Skip) {
			console.log(`skip - ${name}: ${error.message}`);
			return;
		}
		failures++;
		console.log(`not ok - ${name}`);
		console.log(String(error.message).replace(/^/gm, "    "));
	}
}

function expect(condition, message) {
	if (!condition)
		throw new Error(message);
}

function same(actual, wanted, what) {
	const a = JSON.stringify(actual), w = JSON.stringify(wanted);
	expect(a === w, `${what}: is ${String(a).slice(0, 300)}\nnot ${String(w).slice(0, 300)}`);
}

function need(condition, reason) {
	if (!condition)
		throw new Skip(reason);
}

// The data of the element with the id "data", as in the file, and what they are to say.
function readReport(file, json) {
	const found = /<script[^>]* id="data">([^]*?)<\/script>/.exec(fs.readFileSync(file, "utf8"));
	expect(found, "no element with the id data");
	return { text: found[1], report: JSON.parse(fs.readFileSync(json, "utf8")) };
}

// ---- steps, done in the page as a reader does them ----

const steps = {
	setInput: (selector, value) => {
		const input = document.querySelector(selector);
		if (input.type === "checkbox") {
			if (input.checked !== value)
				input.click();
			return;
		}
		input.value = value;
		input.dispatchEvent(new Event("input", { bubbles: true }));
	},
	click: (selector) => {
		document.querySelector(selector).click();
	},
	showAll: () => {
		const more = document.getElementById("more");
		while (!more.hidden)
			more.click();
	},
	rows: () => {
		return [...document.querySelectorAll("#rows tr.change")].map((row) =>
			[row.dataset.class, row.dataset.name,
				row.querySelector("button code").textContent]);
	},
	count: () => {
		return document.getElementById("count").textContent;
	},
	// The contrast of WCAG 2 between the text of an element and the color of its background.
	contrast: (selector) => {
		const channels = (color) => color.match(/[\d.]+/g).map(Number);
		const luminance = (color) => {
			const [r, g, b] = channels(color).map((c) => c / 255).map((c) =>
				c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
			return 0.2126 * r + 0.7152 * g + 0.0722 * b;
		};
		const element = document.querySelector(selector);
		let background = element;
		while (background && channels(getComputedStyle(background).backgroundColor)[3] === 0)
			background = background.parentElement;
		const pair = [getComputedStyle(element).color,
			getComputedStyle(background).backgroundColor].map(luminance);
		return (Math.max(...pair) + 0.05) / (Math.min(...pair) + 0.05);
	},
};

const key = (change) => [change.class, change.name, change.name];
const byName = (sign) => (a, b) => a.name < b.name ? -sign : a.name > b.name ? sign : 0;

class PageTest {
	constructor(browser, url, { text, report }) {
		Object.assign(this, { browser, url, text, report, problems: [], requests: [] });
		browser.listeners.push((method, params) => this.watch(method, params));
	}

	watch(method, params) {
		if (method === "Runtime.exceptionThrown")
			this.problems.push(params.exceptionDetails.exception?.description
				|| params.exceptionDetails.text);
		if (method === "Runtime.consoleAPICalled" && ["error", "assert"].includes(params.type))
			this.problems.push(params.args.map((a) => a.value ?? a.description).join(" "));
		if (method === "Log.entryAdded" && ["error", "warning"].includes(params.entry.level))
			this.problems.push(params.entry.text);
		if (method === "Network.requestWillBeSent")
			this.requests.push(params.request.url);
	}

	step(name, ...values) {
		return this.browser.run(steps[name], ...values);
	}

	fresh(hash = "") {
		return this.browser.load(this.url + hash);
	}

	viewport(metrics, scheme) {
		return Promise.all([
			this.browser.send("Emulation.setDeviceMetricsOverride", metrics),
			this.browser.send("Emulation.setEmulatedMedia", {
				features: [{ name: "prefers-color-scheme", value: scheme }] }),
		]);
	}

	// All rows, drawn to the last, are these changes in this order; and the page says how many.
	async expectRows(changes, what) {
		const drawn = (await this.step("rows")).length;
		expect(drawn <= CHUNK_LIMIT, `${what}: ${drawn} rows were drawn at once`);
		await this.step("showAll");
		const rows = await this.step("rows");
		expect(rows.length === changes.length,
			`${what}: ${rows.length} rows, not ${changes.length}`);
		rows.forEach((row, i) => same(row, key(changes[i]), `${what}: row ${i}`));

		const numbers = (await this.step("count")).replace(/,/g, "").match(/\d+/g).map(Number);
		same(numbers, [changes.length, this.report.changes.length], `${what}: #count`);
	}

	needChanges() {
		need(this.report.changes.length, "there are no changes");
	}

	async rowsOfAll() {
		await this.fresh();
		await this.expectRows(this.report.changes, "all");
	}

	async sorting() {
		this.needChanges();
		const press = () => this.step("click", 'button[data-sort="name"]');
		const pressed = () => this.browser.run(() => document
			.querySelector('button[data-sort="name"]').closest("th").getAttribute("aria-sort"));
		await this.fresh();
		for (const [sign, direction] of [[1, "ascending"], [-1, "descending"]]) {
			await press();
			same(await pressed(), direction, "aria-sort");
			await this.expectRows([...this.report.changes].sort(byName(sign)), direction);
		}
	}

	// Two words that a change has, one of its name and one of elsewhere if it can be.
	searchWords() {
		const list = this.report.changes.filter((c) => /^\w+$/.test(c.name));
		need(list.length, "no change has a plain name");
		const change = list.find((c) => /\w{3}/.test(c.to)) || list[0];
		const elsewhere = /\w{3,}/.exec(change.to);
		return [change.name.slice(0, 4).toUpperCase(), ...(elsewhere ? [elsewhere[0]] : [])];
	}

	matching(words) {
		return this.report.changes.filter((c) => {
			const text = [c.name, c.from, c.to, c.old?.prototype, c.new?.prototype]
				.map((s) => (s || "").toLowerCase()).join("\n");
			return words.every((word) => text.includes(word.toLowerCase()));
		});
	}

	async textFilter() {
		const words = this.searchWords();
		await this.fresh();
		await this.step("setInput", "#search", ` ${words.join("  ")} `);
		await this.expectRows(this.matching(words), words.join(" "));
		await this.step("setInput", "#search", "no such thing in here");
		await this.expectRows([], "nothing");
		await this.step("setInput", "#search", "");
		await this.expectRows(this.report.changes, "all again");
	}

	async classFilter() {
		this.needChanges();
		await this.fresh();
		for (const { code } of this.report.classes.filter((c) => c.count)) {
			const input = `input[name="class"][value="${code}"]`;
			await this.step("setInput", input, true);
			await this.expectRows(this.report.changes.filter((c) => c.class === code), code);
			await this.step("setInput", input, false);
		}
	}

	async switches() {
		this.needChanges();
		const filters = {
			fails: (c) => c.fails,
			marked: (c) => c.marks.includes("exported") || c.marks.includes("kfunc"),
			unallowed: (c) => c.allowed === null,
		};
		await this.fresh();
		for (const [name, filter] of Object.entries(filters)) {
			await this.step("setInput", `input[name="${name}"]`, true);
			await this.expectRows(this.report.changes.filter(filter), name);
			await this.step("setInput", `input[name="${name}"]`, false);
		}
	}

	async bars() {
		need(this.report.verdicts.length, "there are no verdicts");
		await this.fresh();
		const bars = await this.browser.run((codes) =>
			[...document.querySelectorAll("#builds .count[data-code]")].map((node) => ({
				code: node.dataset.code, text: node.textContent,
				widths: [".old .bar", ".new .bar"].map((bar) =>
					parseFloat(node.querySelector(bar).style.width)) }))
				.filter((b) => codes.includes(b.code)), this.report.verdicts.map((v) => v.code));
		same(bars.map((b) => b.code).sort(),
			this.report.verdicts.map((v) => v.code).sort(), "verdicts");
		// The largest of those on one scale is as wide as there is room.
		const shared = this.report.verdicts.filter((v) => !["ok", "inlined-only"].includes(v.code));
		const most = Math.max(0, ...shared.flatMap((v) => [v.old, v.new]));
		for (const verdict of shared) {
			const { widths } = bars.find((b) => b.code === verdict.code);
			[verdict.old, verdict.new].forEach((count, i) => expect(
				Math.abs(widths[i] - 100 * count / (most || 1)) < 0.01,
				`${verdict.code}: ${widths[i]}% for ${count} of ${most}`));
		}
		for (const verdict of this.report.verdicts) {
			const { text, widths } = bars.find((b) => b.code === verdict.code);
			const [a, b] = widths;
			const slip = Math.abs(a * verdict.new - b * verdict.old);
			expect(slip <= 1e-3 * Math.max(1, a * verdict.new) && a <= 100 && b <= 100,
				`${verdict.code}: widths ${a}% and ${b}% of ${verdict.old} and ${verdict.new}`);
			expect(!verdict.old === !a && !verdict.new === !b, `${verdict.code}: none or some`);
			for (const count of [verdict.old, verdict.new])
				expect(text.includes(count.toLocaleString("en")), `${verdict.code}: no ${count}`);
		}
	}

	// A change whose row can be found by its name alone.
	single(filter) {
		const seen = new Map();
		this.report.changes.forEach((c) => seen.set(c.name, (seen.get(c.name) || 0) + 1));
		return this.report.changes.find((c) => seen.get(c.name) === 1 && filter(c));
	}

	// The detail of a change as the page shows it, opened by its own button.
	async detailOf(change) {
		await this.fresh();
		await this.step("setInput", "#search", change.name);
		await this.step("showAll");
		return this.browser.run((name) => {
			const row = [...document.querySelectorAll("#rows tr.change")]
				.find((r) => r.dataset.name === name);
			row.querySelector("button").click();
			const detail = row.nextElementSibling;
			const texts = (selector) =>
				[...detail.querySelectorAll(selector)].map((n) => n.textContent);
			return {
				expanded: row.querySelector("button").getAttribute("aria-expanded"),
				prototypes: texts(".prototype"), text: detail.textContent,
				del: texts("del"), ins: texts("ins"),
			};
		}, change.name);
	}

	async opening() {
		const change = this.single((c) => c.diff && c.old && c.new);
		need(change, "no prototype changed");
		const detail = await this.detailOf(change);
		const parts = (...ops) =>
			change.diff.filter((part) => ops.includes(part.op)).map((part) => part.text);
		same(detail.expanded, "true", "aria-expanded");
		same(detail.prototypes, [parts("=", "-").join(""), parts("=", "+").join("")],
			"prototypes");
		same(detail.del, parts("-"), "<del>");
		same(detail.ins, parts("+"), "<ins>");
	}

	async openingType() {
		const change = this.single((c) => c.details && c.details.length);
		need(change, "no type changed");
		const { text } = await this.detailOf(change);
		for (const line of change.details)
			expect(text.includes(line), `no line ${line}`);
	}

	async hashRestores() {
		const words = this.searchWords();
		const found = this.matching(words)[0];
		await this.fresh();
		await this.step("setInput", "#search", words.join(" "));
		await this.step("setInput", `input[name="class"][value="${found.class}"]`, true);
		await this.step("click", 'button[data-sort="name"]');
		const hash = await this.browser.run(() => location.hash);
		await this.fresh(hash);
		same(await this.browser.run((name) => [document.getElementById("search").value,
			document.querySelector(`input[name="class"][value="${name}"]`).checked],
		found.class), [words.join(" "), true], "controls");
		await this.expectRows(this.matching(words).filter((c) => c.class === found.class)
			.sort(byName(1)), "restored");
	}

	async importantLinks() {
		need(this.report.important.length, "nothing is important");
		for (const name of this.report.important) {
			await this.fresh();
			const target = await this.browser.run((wanted) => {
				[...document.querySelectorAll("#important a")]
					.find((a) => a.textContent === wanted).click();
				return new Promise((resolve) => setTimeout(() => {
					const row = document.activeElement.closest("tr.change");
					const box = row?.getBoundingClientRect();
					resolve(row && box.bottom > 0 && box.top < innerHeight && row.dataset.name);
				}, 100));
			}, name);
			same(target, name, "the row that has the focus");
		}
	}

	async noInjection() {
		await this.fresh();
		await this.step("showAll");
		const found = await this.browser.run(() => {
			document.querySelectorAll("#rows tr.change button").forEach((b, i) =>
				i < 300 && b.click());
			return [document.scripts.length, document.querySelectorAll("main :is(script, img, "
				+ "iframe, object, embed, link, svg, b, i)").length, "injected" in window];
		});
		same(found, [2, 0, false], "scripts, foreign elements, a script of the data ran");
		need(/\\u003[cC]/.test(this.text), "no < in the data (and nothing was injected)");
	}

	async phone() {
		await this.viewport(PHONE, "light");
		await this.fresh();
		const overflow = () => this.browser.run(() => {
			document.querySelectorAll("#rows tr.change button").forEach((b, i) =>
				i % 10 === 0 && b.click());
			document.querySelectorAll("details").forEach((d) => { d.open = true; });
			const wide = [...document.querySelectorAll("main *")].filter((n) =>
				n.getBoundingClientRect().right > innerWidth + 0.5);
			const figures = [...document.querySelectorAll(".count td, .count span")].filter((n) =>
				n.scrollWidth > n.clientWidth && n.clientWidth);
			return [document.scrollingElement.scrollWidth, innerWidth, figures.length,
				wide.slice(0, 3).map((n) => n.outerHTML.slice(0, 80))];
		});
		await this.step("showAll");
		same(await overflow(), [360, 360, 0, []],
			"width of the page, of the view, figures that leave their columns, what is wider");
	}

	async title() {
		await this.fresh();
		const title = await this.browser.run(() => document.title);
		for (const side of [this.report.old, this.report.new])
			expect(title.includes((side.release || side.path).replace(/[^ -~]/g, "?")), title);
	}

	async contrast(scheme) {
		await this.viewport(DESKTOP, scheme);
		await this.fresh();
		// The kinds of text there are; what this report does not have is passed over.
		for (const selector of ["body", "main .card", "h1", "#verdict", ".note", ".muted", "a",
			"#count", ".chips label", ".fails .class", ".change:not(.fails) .class", ".mark",
			".mark.strong", ".arrow", "del", "ins", "#more"]) {
			if (!await this.browser.run((s) => document.querySelector(s) !== null, selector))
				continue;
			const ratio = await this.step("contrast", selector);
			expect(ratio >= 4.5, `${selector}: ${ratio.toFixed(2)}`);
		}
		const [r, g, b] = (await this.browser.run(() =>
			getComputedStyle(document.body).backgroundColor)).match(/\d+/g).map(Number);
		expect((r + g + b > 384) === (scheme === "light"), `background ${r}, ${g}, ${b}`);
	}

	async screenshot(file, metrics, scheme, height) {
		await this.viewport(metrics, scheme);
		await this.fresh();
		await this.browser.run(() => document.querySelector("#rows button")?.click());
		const { data } = await this.browser.send("Page.captureScreenshot", {
			captureBeyondViewport: true,
			clip: { x: 0, y: 0, width: metrics.width, height, scale: 1 } });
		fs.writeFileSync(file, Buffer.from(data, "base64"));
	}

	async runAll() {
		await this.viewport(DESKTOP, "light");
		await check("the data cannot leave their element",
			() => expect(!this.text.includes("<"), "a < in it, which must be \\u003c"));
		await check("the title names both sides", () => this.title());
		await check("all changes have a row", () => this.rowsOfAll());
		await check("sorting by name, both ways, stable", () => this.sorting());
		await check("the text filter", () => this.textFilter());
		await check("the class filter", () => this.classFilter());
		await check("the switches", () => this.switches());
		await check("bars are in proportion", () => this.bars());
		await check("a row opens to both prototypes", () => this.opening());
		await check("a row opens to the details of a type", () => this.openingType());
		await check("the hash restores filter and order", () => this.hashRestores());
		await check("important losses lead to their rows", () => this.importantLinks());
		await check("names do not inject", () => this.noInjection());
		await check("fits a phone", () => this.phone());
		await check("contrast in the light", () => this.contrast("light"));
		await check("contrast in the dark", () => this.contrast("dark"));
		await check("no errors", () => same(this.problems, [], "errors"));
		await check("no requests", () => same(this.requests.filter((url) =>
			url !== "about:blank" && !url.startsWith("data:")
			&& url.split("#")[0] !== this.url), [], "requests"));
	}
}

async function main(file, json, directory) {
	if (!json || process.argv.length > 5)
		cannotTell("usage: diff_page.js REPORT.html REPORT.json [SCREENSHOT_DIRECTORY]");
	const contents = readReport(file, json);
	const profile = fs.mkdtempSync(path.join(os.tmpdir(), "diff_page."));
	const browser = new Browser(profile);
	try {
		browser.ended.then(() => browser.closing || cannotTell("chromium has ended"));
		await browser.openPage();
		const test = new PageTest(browser, pathToFileURL(path.resolve(file)).href, contents);
		await test.runAll();
		if (directory) {
			const shot = (name) => path.join(directory, name);
			fs.mkdirSync(directory, { recursive: true });
			await test.screenshot(shot("light-desktop.png"), DESKTOP, "light", 2000);
			await test.screenshot(shot("dark-phone.png"), PHONE, "dark", 3200);
		}
	} finally {
		browser.closing = true;
		await browser.close();
		fs.rmSync(profile, { recursive: true, force: true });
	}
}

setTimeout(() => cannotTell("it takes too long"), TIMEOUT).unref();
main(process.argv[2], process.argv[3], process.argv[4]).then(() => process.exit(failures ? 1 : 0),
	(error) => cannotTell(error.stack));
