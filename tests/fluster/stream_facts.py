# SPDX-License-Identifier: BSD-2-Clause
"""What GStreamer's AV1 elements cannot do right, found in a stream's own headers.

facts(path): the names in FACTS that are true of an AV1 stream in IVF, WebM or OBUs.
Reads sequence and frame headers as far as the frame's size (AV1 5.5, 5.9), and
nothing of tiles.
"""
FACTS = ('annexb', 'layers', 'render', 'resize', '1x1')

SEQUENCE, DELIMITER, FRAME_HEADER, FRAME = 1, 2, 3, 6
KEY, INTRA_ONLY, SWITCH = 0, 2, 3
SELECT = 2  # SELECT_SCREEN_CONTENT_TOOLS, SELECT_INTEGER_MV


class Bits:
    """f(n) of 4.10.2."""

    def __init__(self, data):
        self.value = int.from_bytes(data, 'big')
        self.left = 8 * len(data)

    def f(self, n):
        self.left -= n
        if self.left < 0:
            raise ValueError('the header is cut off')
        return self.value >> self.left & ((1 << n) - 1)

    def uvlc(self):
        zeros = 0
        while not self.f(1):
            zeros += 1
        return (1 << zeros) - 1 + self.f(zeros)


# ---- containers: temporal units, or parts of them ----

def leb128(data, at):
    value = 0
    for i in range(8):
        value |= (data[at + i] & 127) << 7 * i
        if data[at + i] < 128:
            return value, at + i + 1
    raise ValueError('a leb128() of more than 8 bytes')


def ivf_packets(data):
    at = 32
    while at + 12 <= len(data):
        size = int.from_bytes(data[at:at + 4], 'little')
        yield data[at + 12:at + 12 + size]
        at += 12 + size


def ebml_number(data, at, keep_length):
    length = 9 - data[at].bit_length()
    value = int.from_bytes(data[at:at + length], 'big')
    if not keep_length:
        value &= (1 << 7 * length) - 1
        if value == (1 << 7 * length) - 1:  # unknown: to the end
            value = len(data)
    return value, at + length


# Segment, Cluster, BlockGroup, and what holds frames in them.
EBML_FOLDERS = (0x18538067, 0x1f43b675, 0xa0)
EBML_BLOCKS = (0xa3, 0xa1)


def webm_packets(data):
    at = 0
    while at < len(data):
        name, at = ebml_number(data, at, True)
        size, at = ebml_number(data, at, False)
        if name in EBML_FOLDERS:
            continue  # into it
        if name in EBML_BLOCKS:
            start = ebml_number(data, at, False)[1] + 3
            yield data[start:at + size]
        at += size


# ---- OBUs ----

def obus(data, whole=True):
    """Type, layer bits, payload of each; whole: they say their sizes."""
    at = 0
    while at < len(data):
        kind, extension, sized = data[at] >> 3 & 15, data[at] & 4, data[at] & 2
        if data[at] & 128 or (whole and not sized):
            raise ValueError('no OBU')
        layers = data[at + 1] if extension else None
        at += 2 if extension else 1
        size, at = leb128(data, at) if sized else (len(data) - at, at)
        yield kind, layers, data[at:at + size]
        at += size


def annexb_obus(data):
    """The OBUs of a stream in the form of Annex B; ValueError: it is not."""
    at = 0
    while at < len(data):
        unit, at = leb128(data, at)
        unit_end = at + unit
        while at < unit_end:
            frame, at = leb128(data, at)
            frame_end = at + frame
            while at < frame_end:
                size, at = leb128(data, at)
                if not size or at + size > frame_end:
                    raise ValueError('lengths do not fit')
                yield from obus(data[at:at + size], whole=False)
                at += size
        if at != unit_end or unit_end > len(data):
            raise ValueError('lengths do not fit')


def is_annexb(data):
    try:
        return next(annexb_obus(data))[0] == DELIMITER and \
            all(True for _ in annexb_obus(data))
    except (ValueError, IndexError, StopIteration):
        return False


# ---- headers ----

class Sequence:
    """sequence_header_obu (5.5.1)."""

    def __init__(self, bits):
        f = bits.f
        f(3 + 1)  # seq_profile, still_picture
        self.reduced = f(1)
        self.timing = self.equal_interval = self.decoder_model = 0
        self.time_bits = self.removal_bits = delay_bits = 0
        self.idcs, self.modelled = [0], [0]
        if self.reduced:
            f(5)
        else:
            self.timing = f(1)
            if self.timing:
                f(64)
                self.equal_interval = f(1)
                if self.equal_interval:
                    bits.uvlc()
                self.decoder_model = f(1)
                if self.decoder_model:
                    delay_bits = f(5) + 1
                    f(32)
                    self.removal_bits = f(5) + 1
                    self.time_bits = f(5) + 1
            self._operating_points(bits, delay_bits)
        self.width_bits, self.height_bits = f(4) + 1, f(4) + 1
        self.size = f(self.width_bits) + 1, f(self.height_bits) + 1
        self.delta_id_bits = self.id_bits = 0
        if not self.reduced and f(1):
            self.delta_id_bits = f(4) + 2
            self.id_bits = self.delta_id_bits + f(3) + 1
        f(3)  # superblocks, filter intra, intra edges
        self.order_bits, self.screen, self.integer_mv = 0, SELECT, SELECT
        if not self.reduced:
            self._inter_tools(f)
        self.superres = f(1)

    def _operating_points(self, bits, delay_bits):
        f = bits.f
        display_delays = f(1)
        self.idcs, self.modelled = [], []
        for _ in range(f(5) + 1):
            self.idcs.append(f(12))
            if f(5) > 7:
                f(1)
            self.modelled.append(f(1) if self.decoder_model else 0)
            if self.modelled[-1]:
                f(2 * delay_bits + 1)
            if display_delays and f(1):
                f(4)

    def _inter_tools(self, f):
        f(4)  # interintra, masked compound, warped motion, dual filter
        order = f(1)
        if order:
            f(2)
        self.screen = SELECT if f(1) else f(1)
        if self.screen:
            self.integer_mv = SELECT if f(1) else f(1)
        if order:
            self.order_bits = f(3) + 1

    def has_layers(self):
        return any((idc >> 8).bit_count() > 1 for idc in self.idcs)


class Frame:
    """What later frames need of one."""

    def __init__(self, kind, size, render, order):
        self.kind, self.size, self.render, self.order = kind, size, render, order


class Headers:
    """Frame headers of a stream, in order (5.9)."""

    def __init__(self):
        self.sequence = None
        self.refs = [None] * 8
        self.last = None
        self.found = set()

    def take(self, kind, layers, payload):
        if kind == SEQUENCE:
            self.sequence = Sequence(Bits(payload))
            if self.sequence.has_layers():
                self.found.add('layers')
        elif kind in (FRAME, FRAME_HEADER) and self.sequence:
            if (layers or 0) >> 3 & 3:  # spatial_id
                self.found.add('layers')
            self._frame(Bits(payload[:256]), self.sequence, layers or 0)

    def _frame(self, bits, seq, layers):
        f = bits.f
        kind, shown, resilient = KEY, 1, 1
        if not seq.reduced:
            if f(1):  # show_existing_frame
                self._show(self.refs[f(3)])
                return
            kind, shown = f(2), f(1)
            if shown and seq.decoder_model and not seq.equal_interval:
                f(seq.time_bits)
            if not shown:
                f(1)
            if kind != SWITCH and not (kind == KEY and shown):
                resilient = f(1)
        f(1)  # disable_cdf_update
        screen = f(1) if seq.screen == SELECT else seq.screen
        if screen and seq.integer_mv == SELECT:
            f(1)
        f(seq.id_bits)
        override = kind == SWITCH or (not seq.reduced and f(1))
        order = f(seq.order_bits)
        intra = kind in (KEY, INTRA_ONLY)
        if not intra and not resilient:
            f(3)  # primary_ref_frame
        if seq.decoder_model and f(1):
            self._removal_times(f, seq, layers)
        refresh = 255
        if kind != SWITCH and not (kind == KEY and shown):
            refresh = f(8)
        if (not intra or refresh != 255) and resilient and seq.order_bits:
            f(8 * seq.order_bits)
        names = [] if intra else self._references(f, seq, order)
        frame = self._size(f, seq, kind, override, order,
                           names if override and not resilient else [])
        self._judge(frame)
        for slot in range(8):
            if refresh >> slot & 1:
                self.refs[slot] = frame

    def _show(self, frame):
        if frame and frame.kind == KEY:
            self.refs = [frame] * 8

    def _removal_times(self, f, seq, layers):
        temporal, spatial = layers >> 5, layers >> 3 & 3
        for idc, modelled in zip(seq.idcs, seq.modelled):
            inside = idc >> temporal & 1 and idc >> (spatial + 8) & 1
            if modelled and (not idc or inside):
                f(seq.removal_bits)

    def _references(self, f, seq, order):
        """The slots of the seven names."""
        names = []
        if seq.order_bits and f(1):  # frame_refs_short_signaling
            names = self._set_frame_refs(seq, order, f(3), f(3))
        short = bool(names)
        for i in range(7):
            if not short:
                names.append(f(3))
            f(seq.delta_id_bits)
        return names

    def _set_frame_refs(self, seq, order, last, gold):
        """set_frame_refs (7.8)."""
        half = 1 << (seq.order_bits - 1)
        hints = [half + self._distance(seq, ref.order if ref else 0, order)
                 for ref in self.refs]
        names, used = [None] * 7, {last, gold}
        names[0], names[3] = last, gold

        def pick(name, slots, key):
            slots = [slot for slot in slots if slot not in used]
            if slots:
                names[name] = key(slots)
                used.add(names[name])

        def latest(slots):
            return max(slots, key=lambda slot: (hints[slot], slot))

        def earliest(slots):
            return min(slots, key=lambda slot: (hints[slot], slot))

        after = [slot for slot in range(8) if hints[slot] >= half]
        before = [slot for slot in range(8) if hints[slot] < half]
        pick(6, after, latest)
        pick(4, after, earliest)
        pick(5, after, earliest)
        for name in (1, 2, 4, 5, 6):
            if names[name] is None:
                pick(name, before, latest)
        oldest = min(range(8), key=lambda slot: (hints[slot], slot))
        return [oldest if name is None else name for name in names]

    @staticmethod
    def _distance(seq, a, b):
        half = 1 << (seq.order_bits - 1)
        return (a - b & half - 1) - (a - b & half)

    def _size(self, f, seq, kind, override, order, names):
        for name in names:
            if f(1):  # found_ref
                ref = self.refs[name]
                if ref is None:
                    raise ValueError('refers to a frame that there is not')
                return Frame(kind, ref.size, ref.render, order)
        size = seq.size
        if override:
            size = f(seq.width_bits) + 1, f(seq.height_bits) + 1
        if seq.superres and f(1):
            f(3)
        render = (f(16) + 1, f(16) + 1) if f(1) else size
        return Frame(kind, size, render, order)

    def _judge(self, frame):
        if frame.render != frame.size:
            self.found.add('render')
        if frame.size == (1, 1):
            self.found.add('1x1')
        if self.last and frame.kind != KEY and frame.size != self.last.size:
            self.found.add('resize')
        self.last = frame


def packets(data):
    if data[:4] == b'DKIF':
        return ivf_packets(data)
    if data[:4] == b'\x1a\x45\xdf\xa3':
        return webm_packets(data)
    return [data]


def facts(path):
    """What is known of a stream: nothing of one that cannot be read."""
    with open(path, 'rb') as file:
        data = file.read()
    headers = Headers()
    try:
        if is_annexb(data):
            headers.found.add('annexb')
            units = annexb_obus(data)
        else:
            units = (obu for packet in packets(data) for obu in obus(packet))
        for kind, layers, payload in units:
            headers.take(kind, layers, payload)
    except (ValueError, IndexError):
        pass
    return headers.found
